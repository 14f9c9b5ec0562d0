// Loaded into the driver's process by a test: writes down whom it connects to, what it starts, and what it reads.
const fs = require("node:fs");
const net = require("node:net");
const dns = require("node:dns");
const childProcess = require("node:child_process");

const seen = process.env.WATCH_FILE;
const append = fs.appendFileSync;
const note = (kind, what) => append(seen, `${JSON.stringify([kind, String(what)])}\n`);

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function watched(...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  note("connect", typeof options === "object" ? `${options.host ?? options.path}:${options.port ?? ""}` : options);
  return connect.apply(this, args);
};
for (const [owner, kind, names] of [
  [dns, "lookup", ["lookup", "resolve", "resolve4", "resolve6"]],
  [childProcess, "start", ["spawn", "exec", "execFile", "fork", "spawnSync", "execSync", "execFileSync"]],
  [fs, "read", ["readFileSync", "readFile", "openSync", "open", "createReadStream", "existsSync", "statSync"]],
  [fs.promises, "read", ["readFile", "open", "stat", "access"]],
]) {
  for (const name of names) {
    const real = owner[name];
    owner[name] = function watched(...args) {
      note(kind, args[0]);
      return real.apply(this, args);
    };
  }
}
require("node:module").syncBuiltinESMExports();
note("watching", "1");
