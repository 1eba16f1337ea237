// Breaks the money path on purpose, one way at a time, in a copy of the project, and sees the tests fail.
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

/** Runs the tests of these names in the copy; how many passed and failed. */
function run(project, file, name) {
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
      "--reporter=json",
      `--outputFile=${report}`,
    ],
    {
      cwd: copy,
      stdio: "ignore",
      env: { ...process.env, DATA_DIR: join(copy, ".data") },
    },
  );
  try {
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(report, "utf8"));
    return { passed, failed };
  } catch {
    return { passed: 0, failed: 0 };
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

const wanted = process.argv.slice(2).join(" ");
const chosen = MUTANTS.filter(({ name }) => name.includes(wanted));
copyProject();
let survivors = 0;
const say = (verdict, name, detail) => console.log(`  ${verdict.padEnd(9)} ${name.padEnd(42)} ${detail}`);
console.log("\n  The code is broken on purpose; a mutant is killed when its test fails.\n");
for (const mutant of chosen) {
  const problem = apply(mutant);
  const broken = problem ? null : run(...mutant.tests);
  restore(mutant);
  const killed = broken !== null && broken.failed > 0;
  // A test that fails on the sound code, too, has killed nothing.
  const sound = killed ? run(...mutant.tests) : null;
  if (killed && sound.failed === 0 && sound.passed > 0) {
    say("killed", mutant.name, `by "${mutant.tests[2]}"`);
    continue;
  }
  survivors++;
  if (problem) say("NO FIT", mutant.name, problem);
  else if (killed) say("BAD TEST", mutant.name, `"${mutant.tests[2]}" fails without it, too`);
  else say("SURVIVED", mutant.name, `"${mutant.tests[2]}": ${broken.passed} passed, ${broken.failed} failed`);
}
console.log(`\n  ${chosen.length - survivors} of ${chosen.length} mutants killed.\n`);
process.exitCode = survivors === 0 ? 0 : 1;
