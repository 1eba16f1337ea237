import { fileURLToPath } from "node:url";
import { buildWhenStale } from "@/lib/server/build";
import { PROOFS, type Run } from "./proofs";
import { formatDuration, heading, run } from "./steps";
import { counted, type Result, TestRun, withCluster } from "./test-run";

/**
 * `npm run prove`: every proof in its short form, one line each; the last line is `N passed, N failed`. `npm
 * run prove:NAME -- ARGUMENTS`: one proof in its long form, with its output.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const NAME_WIDTH = Math.max(...PROOFS.map(({ name }) => name.length));

async function proveAll(): Promise<void> {
  const proofs = new TestRun("prove");
  heading("Proofs, in their short form");
  await withCluster(async () => {
    for (const { name, short } of PROOFS.filter((proof) => proof.short.length > 0)) {
      if (process.stdout.isTTY) process.stdout.write(`  … ${name}`);
      const { result, ms } = await proofs.part(name, () => runInTurn(proofs, name, short));
      const figure = result.figures.join("; ") || `${result.passed} tests`;
      const line = `  ${result.failed === 0 ? "✓" : "✗"} ${name.padEnd(NAME_WIDTH)}  ${formatDuration(ms).padStart(12)}`;
      console.log(`${process.stdout.isTTY ? "\r\x1b[2K" : ""}${line}  ${figure}`);
    }
  });
  proofs.finish({ withParts: false });
}

async function runInTurn(proofs: TestRun, name: string, runs: readonly Run[]): Promise<Result> {
  const total = counted(0, 0);
  for (const [index, { args, env }] of runs.entries()) {
    const { passed, failed, tests, figures } = await proofs.runCaptured(`${name}-${index}`, args, env);
    total.passed += passed;
    total.failed += failed;
    total.tests.push(...tests);
    total.figures.push(...figures);
  }
  return total;
}

async function proveOne(name: string, args: readonly string[]): Promise<void> {
  const proof = PROOFS.find((one) => one.name === name);
  if (!proof) {
    console.error(`There is no proof "${name}". Choose one of ${PROOFS.map((one) => one.name).join(", ")}.`);
    process.exitCode = 2;
    return;
  }
  for (const one of proof.long?.(...args) ?? proof.short) {
    process.exitCode = await run(one.args, one.env);
    if (process.exitCode !== 0) return;
  }
}

const [name, ...args] = process.argv.slice(2);
await buildWhenStale(root, () => console.log("Building …"), new AbortController().signal);
await (name === undefined ? proveAll() : proveOne(name, args));
