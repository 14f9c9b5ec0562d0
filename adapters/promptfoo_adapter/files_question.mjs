// The prompt of every row is the question alone. An item of a list is not rendered a second time, whatever it holds.

import { readFileSync } from "node:fs";

const CASES = JSON.parse(readFileSync(new URL("./recorded.json", import.meta.url), "utf8"));
const CHAT = ["EVALPARITY_JUDGE", "EVALPARITY_JUDGE_URL", "EVALPARITY_JUDGE_API_KEY"];
const NEEDED = { nothing: [], chat: CHAT, embeddings: [...CHAT, "EVALPARITY_EMBEDDING_MODEL"] };

export default function question({ vars }) {
  const unset = NEEDED[vars.needs].filter((name) => !process.env[name]);
  if (unset.length > 0) throw new Error(`no judge is named: set ${unset.join(", ")} (see README.md).`);
  vars._question = [CASES[vars.case].input || "-"];
  return "{{ _question[0] }}";
}
