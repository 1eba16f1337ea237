// Breaks the money path on purpose, one mutant at a time, in a copy of the project; the tests must fail.
// --simulation: mutants of races and crashes, up to 2,000 simulated worlds each. --processor NAME: those that
// load reveals behind a double of its API. --every N: one in N. Other words select by name.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { DOUBLES, MUTANTS } from "./mutants/list.mjs";

const root = resolve(import.meta.dirname, "..");
const copy = mkdtempSync(join(tmpdir(), "cardlane-mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));

/** Copies tracked and untracked files that git doesn't ignore, and links the installed packages. */
function copyProject() {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  for (const file of listed.split("\0").filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { force: true, errorOnExist: false });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}

/** Runs the tests of this name in the copy, or the whole file. Returns the counts and the first failure. */
function run([project, file, name], env = {}, limits = []) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const named = name ? ["-t", name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")] : [];
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const reported = ["--reporter=json", `--outputFile=${report}`];
  spawnSync(process.execPath, [vitest, "run", "--project", project, file, ...named, ...limits, ...reported], {
    cwd: copy,
    stdio: "ignore",
    // Its own cluster, because a mutant may break the migrations.
    env: { ...process.env, TEST_CLUSTER: "", DATA_DIR: join(copy, ".data"), ...env },
  });
  try {
    const { numPassedTests: passed, numFailedTests: failed, testResults } = JSON.parse(readFileSync(report, "utf8"));
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    return { passed, failed, said: tests.find(({ status }) => status === "failed")?.failureMessages[0] ?? "" };
  } catch {
    return { passed: 0, failed: 0, said: "" };
  }
}

/** The edit that no longer fits the code, or null. */
function apply({ edits }) {
  for (const [file, from, to] of edits) {
    const path = join(copy, file);
    const before = readFileSync(path, "utf8");
    const after = before.replace(from, () => to);
    if (after === before) return `${file} has no ${from}`;
    writeFileSync(path, after);
  }
  return null;
}

function restore({ edits }) {
  for (const [file] of edits) cpSync(join(root, file), join(copy, file), { force: true });
}

/** Max simulated worlds until one breaks a rule. */
const MAX_WORLDS = 2_000;
const WORLDS = ["proof", "e2e/proof/simulation.proof.ts", "simulated worlds"];

function simulate(mutant) {
  const env = { SIMULATION_SEEDS: String(MAX_WORLDS), SIMULATION_SHRINK: "no" };
  // Thousands of worlds can take hours.
  const broken = run(WORLDS, env, ["--testTimeout=7200000"]);
  const [, seed, rule] = /Seed (\d+) breaks a rule:\s*(.*)/.exec(broken.said) ?? [];
  if (seed) return ["killed", mutant.name, `by world ${seed}: ${rule.slice(0, 110)}`];
  if (broken.said.includes("do not agree")) return ["killed", mutant.name, "by the books of its worlds"];
  return ["SURVIVED", mutant.name, `${MAX_WORLDS} worlds${broken.said ? `: ${broken.said.slice(0, 200)}` : ""}`];
}

/** Proofs of a service under load, cheapest first. */
const PROOFS = {
  model: { PROOF_RUNS: "6", PROOF_SHRINK: "no" },
  concurrency: { PROOF_KEYS: "24", PROOF_PAYMENTS: "8" },
  "kill-service": { PROOF_KILLS: "3", PROOF_STOPS: "3" },
};

/** Longer than any of them takes with sound code on a busy machine. */
const ENDS_WITHIN_MS = 240_000;
/** Vitest's message on a time-out; for some it reports only a stack trace. */
const TIMED_OUT = /timed out in|STACK_TRACE_ERROR/;

/** The first proof that fails behind this double, and the broken rule; null if all pass. */
function failingProof(double) {
  for (const [proof, load] of Object.entries(PROOFS)) {
    const file = `e2e/proof/${proof}.proof.ts`;
    const limits = ["--bail=1", `--testTimeout=${ENDS_WITHIN_MS}`];
    const { passed, failed, said } = run(["proof", file], { PROOF_PROCESSOR: double, ...load }, limits);
    if (failed > 0) return `by ${proof}, ${TIMED_OUT.test(said) ? "by not ending" : ruleOf(said)}`;
    if (passed === 0) throw new Error(`${file} did not run`);
  }
  return null;
}

/** A one-line reason: the book that disagrees, or the failed expectation, without the rest of a history. */
function ruleOf(said) {
  const book = /"check": "(\w+)"/.exec(said)?.[1];
  if (book) return `the books: ${book}`;
  const [why = ""] = stripVTControlCharacters(said).split("\nGot ").slice(-1);
  const [line = ""] = why
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ [0-9a-f-]{36}\b/g, "")
    .split(/ at \S+ \(/);
  return line
    .slice(Math.max(0, line.indexOf(" expected ")))
    .trim()
    .slice(0, 140);
}

function behind(double, { name }) {
  const by = failingProof(double);
  return by ? ["killed", name, by] : ["SURVIVED", name, `${Object.keys(PROOFS).join(", ")} behind ${double}`];
}

function test({ name, tests }) {
  const broken = run(tests);
  if (broken.failed === 0) return ["SURVIVED", name, `"${tests[2]}": ${broken.passed} passed`];
  return ["killed", name, `by "${tests[2]}"`];
}

/** A test that also fails on the sound code has killed nothing. */
function isSound({ tests }) {
  const { passed, failed } = run(tests);
  return failed === 0 && passed > 0;
}

const words = process.argv.slice(2);
const every = words.includes("--every") ? Number(words.splice(words.indexOf("--every"), 2)[1]) : 1;
const isSimulated = words.includes("--simulation");
const double = words.includes("--processor") ? (words[words.indexOf("--processor") + 1] ?? "") : null;
if (double !== null && !DOUBLES.includes(double)) {
  console.error(`Usage: npm run prove:mutants -- [--simulation | --processor ${DOUBLES.join("|")}] [words of names]`);
  process.exit(2);
}
const wanted = words.filter((word) => !word.startsWith("--") && word !== double).join(" ");
const isMarked = ({ simulation, doubles }) => (double ? doubles?.includes(double) : simulation || !isSimulated);
const chosen = MUTANTS.filter((mutant) => mutant.name.includes(wanted) && isMarked(mutant)).filter(
  (_, index) => index % every === 0,
);
copyProject();
let survivors = 0;
const say = (verdict, name, detail) => console.log(`  ${verdict.padEnd(9)} ${name.padEnd(42)} ${detail}`);
console.log("\n  The code is broken on purpose; a mutant is killed when its test fails.\n");
const unsound = double && failingProof(double);
if (unsound) {
  say("UNSOUND", "the sound code fails, so nothing is proved", unsound);
  process.exit(1);
}
for (const mutant of chosen) {
  const problem = apply(mutant);
  const kill = () => (double ? behind(double, mutant) : isSimulated ? simulate(mutant) : test(mutant));
  const verdict = problem ? ["NO FIT", mutant.name, problem] : kill();
  restore(mutant);
  // No recheck of the sound code here: `npm run prove` simulates it, and its proofs ran above.
  const isKilled = verdict[0] === "killed" && (isSimulated || double !== null || isSound(mutant));
  if (!isKilled) survivors++;
  if (verdict[0] === "killed" && !isKilled) say("BAD TEST", mutant.name, `"${mutant.tests[2]}" fails without it, too`);
  else say(...verdict);
}
console.log(`\n  ${chosen.length - survivors} of ${chosen.length} mutants killed.\n`);
process.exitCode = survivors === 0 ? 0 : 1;
