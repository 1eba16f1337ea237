import { fileURLToPath } from "node:url";
import { buildWhenStale } from "@/lib/server/build";
import { SMOKE } from "./proofs";
import { CHECKS, formatDuration, heading, playwright, runInPairs, vitest } from "./steps";
import { counted, type Result, TestRun, withCluster } from "./test-run";

/**
 * `npm test`: checks, build, unit and integration tests, a smoke of the money proofs, the API suite and
 * browser tests. `npm run check` (`--quick`): checks and unit tests. The last line is `N passed, N failed`.
 */
const root = fileURLToPath(new URL("..", import.meta.url));

async function build(): Promise<Result> {
  const started = Date.now();
  try {
    const isNew = await buildWhenStale(root, () => console.log("  … next build"), new AbortController().signal);
    const took = formatDuration(Date.now() - started);
    console.log(`  ✓ ${isNew ? `built in ${took}` : "the last build is up to date"}`);
    return counted(1, 0);
  } catch (error) {
    console.log((error as Error).message);
    return counted(0, 1);
  }
}

async function runChecks(): Promise<Result> {
  const { passed, failed } = await runInPairs(CHECKS);
  return counted(passed, failed);
}

/** One part after the other, because each loads both cores. */
async function runAll(): Promise<void> {
  const tests = new TestRun("test");
  const part = (title: string, work: () => Promise<Result>) => {
    heading(title);
    return tests.part(title, work);
  };
  const { result } = await part("Build", build);
  await part("Format, lint, types, unused code", runChecks);
  await part("Unit tests", () => tests.runVitest("unit", vitest("--project", "unit")));
  await withCluster(async () => {
    await part("Integration tests, on a real PostgreSQL", () => tests.runVitest("int", vitest("--project", "int")));
    if (result.failed > 0) return;
    await part("Money proofs, a smoke", () => tests.runVitest("proof", SMOKE.args, SMOKE.env));
    await part("The API over HTTP and the pages in a browser", () => tests.runPlaywright("e2e", playwright()));
  });
  tests.finish();
}

async function runQuick(): Promise<void> {
  const unit = { title: "Unit tests (Vitest)", args: vitest("--project", "unit") };
  const { passed, failed } = await runInPairs([...CHECKS, unit]);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await (process.argv.includes("--quick") ? runQuick() : runAll());
