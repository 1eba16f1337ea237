import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildWhenStale } from "@/lib/server/build";
import { CHECKS, heading, listen, playwright, run, runInPairs, vitest } from "./steps";

/**
 * `npm test`: every check there is. `npm run check`, which is `--quick`: those that take seconds. The last line of the output is
 * `N passed, N failed`.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const reports = `${root}.cache/test-reports`;
const total = { passed: 0, failed: 0 };

function count(passed: number, failed: number, exitCode: number): void {
  total.passed += passed;
  // A runner that broke down without naming a test has failed all the same.
  total.failed += failed === 0 && exitCode !== 0 ? 1 : failed;
}

function read<T>(file: string, nothing: T): T {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return nothing;
  }
}

/** What it says comes as a whole: something else runs beside it. */
async function runVitest(title: string, project: string): Promise<void> {
  const file = `${reports}/${project}.json`;
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { code, output } = await listen(vitest("--project", project, "--passWithNoTests", ...reporters));
  heading(title);
  console.log(output);
  const { numPassedTests, numFailedTests } = read(file, { numPassedTests: 0, numFailedTests: 0 });
  count(numPassedTests, numFailedTests, code);
}

async function runPlaywright(title: string): Promise<void> {
  heading(title);
  const file = `${reports}/e2e.json`;
  const code = await run(playwright(), { PLAYWRIGHT_JSON_OUTPUT_NAME: file });
  const { stats, suites } = read<Report>(file, { stats: { expected: 0, unexpected: 0, flaky: 0 }, suites: [] });
  count(stats.expected + stats.flaky, stats.unexpected, code);
  if (stats.flaky === 0) return;
  console.log(`\n  ${stats.flaky} passed only at the second try:`);
  for (const title of suites.flatMap(flakyOf)) console.log(`    ${title}`);
}

type Suite = { suites?: Suite[]; specs: { title: string; file: string; tests: { status: string }[] }[] };
type Report = { stats: { expected: number; unexpected: number; flaky: number }; suites: Suite[] };

function flakyOf({ specs, suites = [] }: Suite): string[] {
  const own = specs.filter(({ tests }) => tests.some(({ status }) => status === "flaky"));
  return [...own.map(({ file, title }) => `${file}: ${title}`), ...suites.flatMap(flakyOf)];
}

async function build(): Promise<boolean> {
  heading("Build");
  const started = Date.now();
  try {
    const built = await buildWhenStale(root, () => console.log("  … next build"), new AbortController().signal);
    console.log(
      `  ✓ ${built ? `built in ${Math.round((Date.now() - started) / 1000)} s` : "the last build is up to date"}`,
    );
    count(1, 0, 0);
    return true;
  } catch (error) {
    console.log((error as Error).message);
    count(0, 1, 1);
    return false;
  }
}

/** One after the other: most of them load both cores by themselves, and all of them wait now and then. */
async function runWithoutBrowser(isBuilt: boolean): Promise<void> {
  await runVitest("Unit tests", "unit");
  await runVitest("Integration tests, on a real PostgreSQL", "int");
  if (isBuilt) await runVitest("Proofs: concurrency, crashes, faults", "proof");
}

async function runAll(): Promise<void> {
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  heading("Format, lint, types");
  const checks = await runInPairs(CHECKS);
  count(checks.passed, checks.failed, 0);
  const isBuilt = await build();
  await Promise.all([
    isBuilt && runPlaywright("The contract over HTTP, on both hosts, and the pages in a browser"),
    runWithoutBrowser(isBuilt),
  ]);
}

async function runQuick(): Promise<void> {
  const unit = { title: "Unit tests (Vitest)", args: vitest("--project", "unit") };
  const { passed, failed } = await runInPairs([...CHECKS, unit]);
  count(passed, failed, 0);
}

await (process.argv.includes("--quick") ? runQuick() : runAll());
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
