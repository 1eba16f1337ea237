// Breaks the money path on purpose, one way at a time, in a copy of the project, and sees the tests fail. With --simulation:
// those that races and crashes are about, in up to 2,000 simulated worlds each. Words choose mutants by their names.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { MUTANTS } from "./mutants/list.mjs";

const root = resolve(import.meta.dirname, "..");
const copy = mkdtempSync(join(tmpdir(), "cardlane-mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));

/** Everything that git knows or would take, with the installed packages by reference. */
function copyProject() {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  for (const file of listed.split("\0").filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { force: true, errorOnExist: false });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}

/** Runs the tests of these names in the copy; how many passed and failed, and what the first of these said. */
function run([project, file, name], env = {}) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  spawnSync(
    process.execPath,
    [
      vitest,
      "run",
      "--project",
      project,
      file,
      "-t",
      escaped,
      "--retry=0",
      // Thousands of worlds take their time.
      ...(env.SIMULATION_SEEDS ? ["--testTimeout=7200000"] : []),
      "--reporter=json",
      `--outputFile=${report}`,
    ],
    {
      cwd: copy,
      stdio: "ignore",
      env: { ...process.env, DATA_DIR: join(copy, ".data"), ...env },
    },
  );
  try {
    const { numPassedTests: passed, numFailedTests: failed, testResults } = JSON.parse(readFileSync(report, "utf8"));
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    return { passed, failed, said: tests.find(({ status }) => status === "failed")?.failureMessages[0] ?? "" };
  } catch {
    return { passed: 0, failed: 0, said: "" };
  }
}

/** Null, or which edit no longer fits the code. */
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

/** Simulated worlds: how many it takes until one breaks a rule, at most so many. */
const MOST_WORLDS = 2_000;
const WORLDS = ["proof", "e2e/proof/simulation.proof.ts", "simulated worlds"];

function simulate(mutant) {
  const broken = run(WORLDS, { SIMULATION_SEEDS: String(MOST_WORLDS), SIMULATION_SHRINK: "no" });
  const [, seed, rule] = /Seed (\d+) breaks a rule:\s*(.*)/.exec(broken.said) ?? [];
  if (seed) return ["killed", mutant.name, `by world ${seed}: ${rule.slice(0, 110)}`];
  if (broken.said.includes("do not agree")) return ["killed", mutant.name, "by the books of its worlds"];
  return ["SURVIVED", mutant.name, `${MOST_WORLDS} worlds${broken.said ? `: ${broken.said.slice(0, 200)}` : ""}`];
}

function test({ name, tests }) {
  const broken = run(tests);
  if (broken.failed === 0) return ["SURVIVED", name, `"${tests[2]}": ${broken.passed} passed`];
  return ["killed", name, `by "${tests[2]}"`];
}

/** A test that fails on the sound code, too, has killed nothing. */
function isSound({ tests }) {
  const { passed, failed } = run(tests);
  return failed === 0 && passed > 0;
}

const words = process.argv.slice(2);
const isSimulated = words.includes("--simulation");
const wanted = words.filter((word) => word !== "--simulation").join(" ");
const chosen = MUTANTS.filter(({ name, simulation }) => name.includes(wanted) && (simulation || !isSimulated));
copyProject();
let survivors = 0;
const say = (verdict, name, detail) => console.log(`  ${verdict.padEnd(9)} ${name.padEnd(42)} ${detail}`);
console.log("\n  The code is broken on purpose; a mutant is killed when its test fails.\n");
for (const mutant of chosen) {
  const problem = apply(mutant);
  const verdict = problem ? ["NO FIT", mutant.name, problem] : isSimulated ? simulate(mutant) : test(mutant);
  restore(mutant);
  // The worlds of the sound code are gone through by `npm test`.
  const isKilled = verdict[0] === "killed" && (isSimulated || isSound(mutant));
  if (!isKilled) survivors++;
  if (verdict[0] === "killed" && !isKilled) say("BAD TEST", mutant.name, `"${mutant.tests[2]}" fails without it, too`);
  else say(...verdict);
}
console.log(`\n  ${chosen.length - survivors} of ${chosen.length} mutants killed.\n`);
process.exitCode = survivors === 0 ? 0 : 1;
