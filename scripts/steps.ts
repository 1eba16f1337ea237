import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = (path: string) => `${root}node_modules/${path}`;

export type Env = Record<string, string>;
export type Step = { title: string; args: string[] };

export const CHECKS: Step[] = [
  // First, because it takes longest when it builds.
  { title: "Browser bundle (budget)", args: ["--import", "tsx", `${root}scripts/size-budget.ts`] },
  { title: "Format and lint (Biome)", args: [program("@biomejs/biome/bin/biome"), "check", "--error-on-warnings"] },
  { title: "Lint and import rules (oxlint)", args: [program("oxlint/bin/oxlint"), "--type-aware", "--deny-warnings"] },
  {
    title: "Unused files, exports and packages (knip)",
    args: [program("knip/bin/knip.js"), "--config", "scripts/knip.jsonc", "--no-progress"],
  },
  { title: "Types (TypeScript)", args: ["--import", "tsx", `${root}scripts/check-types.ts`] },
];

export const vitest = (...args: string[]) => [program("vitest/vitest.mjs"), "run", ...args];
export const playwright = (...args: string[]) => [program("playwright/cli.js"), "test", ...args];
export const script = (name: string, ...args: string[]) => ["--import", "tsx", `${root}scripts/${name}`, ...args];

export function heading(title: string): void {
  console.log(`\n── ${title} ${"─".repeat(Math.max(3, 74 - title.length))}\n`);
}

/** "8.4 s" or "12 min 3 s". */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Runs a Node program in our terminal; resolves to its exit code. */
export function run(args: string[], env: Env = {}): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  // Ctrl-C reaches both; a kill only this one.
  const end = () => child.kill("SIGTERM");
  process.once("SIGTERM", end);
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  }).finally(() => process.off("SIGTERM", end));
}

/** Runs a Node program; resolves to its exit code and whole output. */
export async function capture(args: string[], env: Env = {}): Promise<{ code: number; output: string }> {
  const options = { cwd: root, env: { ...process.env, ...env } };
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code: code ?? 1, output: Buffer.concat(chunks).toString("utf8").trim() };
}

/** Runs a step; prints one line when it passes, its whole output when it fails. */
async function runQuietly({ title, args }: Step): Promise<boolean> {
  const started = Date.now();
  const { code, output } = await capture(args);
  console.log(`  ${code === 0 ? "✓" : "✗"} ${title}  ${formatDuration(Date.now() - started)}`);
  if (code !== 0) console.log(`\n${output}\n`);
  return code === 0;
}

/** Runs steps two at a time, for machines with two cores; resolves to the counts of passed and failed. */
export async function runInPairs(steps: readonly Step[]): Promise<{ passed: number; failed: number }> {
  let next = 0;
  let passed = 0;
  async function work(): Promise<void> {
    for (let step = steps[next++]; step; step = steps[next++]) if (await runQuietly(step)) passed++;
  }
  await Promise.all([work(), work()]);
  return { passed, failed: steps.length - passed };
}
