// Scores cells with Promptfoo's library call `assertions.runAssertion()`: one JSON line in, one JSON line out, many
// cells at once. The lines are those of evalparity.adapters.worker.
//
//     node driver.mjs TREE        TREE: the folder whose node_modules holds Promptfoo
//
// Promptfoo's command line is not used: it renders the text of a data set as a template and runs what it finds there.
// Here the text enters as variables, after rendering, and the only templates are the constants below.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const REFERENCE = "{{reference}}";
const RUBRIC = [
  "{{criteria}}",
  "\n<Input>\n{{query}}\n</Input>",
  "{% if reference %}\n<Reference>\n{{reference}}\n</Reference>{% endif %}",
  "{% for chunk in context %}\n<Context>\n{{chunk}}\n</Context>{% endfor %}",
].join("");
const ASSERTIONS = {
  "promptfoo:context_faithfulness": { type: "context-faithfulness" },
  "promptfoo:context_recall": { type: "context-recall", value: REFERENCE },
  "promptfoo:context_relevance": { type: "context-relevance" },
  "promptfoo:answer_relevance": { type: "answer-relevance" },
  "promptfoo:factuality": { type: "factuality", value: REFERENCE },
  "promptfoo:similar": { type: "similar", value: REFERENCE },
  "promptfoo:answer_correctness_rubric": { type: "llm-rubric", value: RUBRIC },
  "promptfoo:answer_relevancy_rubric": { type: "llm-rubric", value: RUBRIC },
  "promptfoo:context_utilisation_rubric": { type: "llm-rubric", value: RUBRIC },
  "promptfoo:equals": { type: "equals", value: REFERENCE },
  "promptfoo:contains": { type: "contains", value: REFERENCE },
  "promptfoo:bleu": { type: "bleu", value: REFERENCE },
};
const TOLD = [
  "graderError",
  "sentenceAttributions",
  "generatedQuestions",
  "extractedSentences",
  "contextUnits",
  "insufficientInformation",
];
// A name with a meaning ("gpt-5", "o3", "a:b") would change what Promptfoo sends; the gateway puts in the real one.
const TEXT_PROVIDER = "openai:chat:evalparity-judge";
const EMBEDDING_PROVIDER = "openai:embedding:evalparity-embeddings";
const LONGEST_MESSAGE = 4000;
const LONGEST_TIMER = 2 ** 31 - 1; // setTimeout() fires at once beyond it
const LINE_FEED = 10;

// Standard output is for answers; whatever Promptfoo logs goes to standard error.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
process.stdout.on("error", () => process.exit(1)); // nobody reads any more
process.on("unhandledRejection", (reason) => process.stderr.write(`unhandled rejection: ${reason?.stack ?? reason}\n`));

function send(message) {
  write(`${JSON.stringify(message)}\n`);
}

async function loadPromptfoo(tree) {
  const entry = createRequire(join(tree, "package.json")).resolve("promptfoo");
  const { version } = JSON.parse(readFileSync(join(tree, "node_modules/promptfoo/package.json"), "utf8"));
  // `resolve` answers for require(); the library's documented entry for import() stands beside it.
  const { assertions, cache, loadApiProvider } = await import(pathToFileURL(join(dirname(entry), "index.js")).href);
  cache.disableCache();
  return { assertions, loadApiProvider, version };
}

// The providers that Promptfoo itself would load, whose calls end when the cell does. Promptfoo hands a signal to
// graders only inside its own batch run, and its embedding call takes none: one that is under way goes on to its end.
async function providersFor(judge, type, signal) {
  const config = {
    apiBaseUrl: judge.base_url,
    apiKey: "evalparity",
    maxRetries: 0,
    headers: { "X-Evalparity-Assertion": type },
  };
  const text = await loadApiProvider(TEXT_PROVIDER, {
    options: { config: { ...config, temperature: 0, max_tokens: judge.max_output_tokens, showThinking: false } },
  });
  const embedding = await loadApiProvider(EMBEDDING_PROVIDER, { options: { config } });
  const [callApi, callEmbeddingApi] = [text.callApi.bind(text), embedding.callEmbeddingApi.bind(embedding)];
  text.callApi = (prompt, context, options) => callApi(prompt, context, { ...options, abortSignal: signal });
  embedding.callEmbeddingApi = async (input) => {
    signal.throwIfAborted();
    return callEmbeddingApi(input);
  };
  return { text, embedding };
}

async function optionsFor({ scorer, inputs, judge }, signal) {
  if (!Object.hasOwn(ASSERTIONS, scorer)) throw new Error(`unknown scorer ${scorer}`);
  const assertion = ASSERTIONS[scorer];
  const { query, context, output, reference, criteria } = inputs;
  return {
    prompt: query,
    assertion: { ...assertion, threshold: 0, provider: await providersFor(judge, assertion.type, signal) },
    test: { vars: { query, context, reference, criteria }, options: {} },
    providerResponse: { output: output ?? "", metadata: {} },
  };
}

function trimmed({ pass, score, reason, tokensUsed, metadata = {} }) {
  const told = Object.fromEntries(TOLD.map((name) => [name, metadata[name]]));
  return { pass, score, reason, tokensUsed, metadata: told };
}

async function withinLimit(seconds, work) {
  const ending = new AbortController();
  let timer;
  const late = new Promise((_resolve, reject) => {
    const error = new Error(`no score within ${seconds} s`);
    error.name = "TimeoutError";
    timer = setTimeout(reject, Math.min(seconds * 1000, LONGEST_TIMER), error);
  });
  try {
    return await Promise.race([work(ending.signal), late]);
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

async function answer(job) {
  try {
    const score = async (signal) => assertions.runAssertion(await optionsFor(job, signal));
    const result = await withinLimit(job.timeout, score);
    send({ id: job.id, result: trimmed(result) });
  } catch (error) {
    const message = String(error?.message ?? error).slice(0, LONGEST_MESSAGE);
    send({ id: job.id, error: { type: error?.name ?? "Error", message } });
  }
}

// Lines end at "\n" alone: readline would also split at U+2028, which text may hold.
async function* lines(stream) {
  let parts = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
}

const { assertions, loadApiProvider, version } = await loadPromptfoo(process.argv[2]);
send({ ready: { framework: "promptfoo", version } });
const open = new Set();
for await (const line of lines(process.stdin)) {
  const job = answer(JSON.parse(line)).finally(() => open.delete(job));
  open.add(job);
}
await Promise.all(open);
write("", () => process.exit(0)); // Promptfoo leaves timers and sockets that would keep the process alive
