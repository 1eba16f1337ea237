import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startTestCluster } from "@/e2e/fixtures/cluster";
import { capture, type Env, formatDuration, heading, run } from "./steps";

/** Shared by `npm test` and `npm run prove`: one PostgreSQL for all runners, reports, and totals. */
const root = fileURLToPath(new URL("..", import.meta.url));
const SLOWEST = 10;

type TimedTest = { title: string; ms: number };
export type Result = { passed: number; failed: number; tests: TimedTest[]; figures: string[] };

export const counted = (passed: number, failed: number): Result => ({ passed, failed, tests: [], figures: [] });

/** Runs `work` with a PostgreSQL in TEST_CLUSTER for every runner; stops it at the end or on an interrupt. */
export async function withCluster(work: () => Promise<void>): Promise<void> {
  const { stop, ...cluster } = await startTestCluster();
  const interrupt = () => void stop().finally(() => process.exit(130));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  process.env.TEST_CLUSTER = JSON.stringify(cluster);
  try {
    await work();
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
    await stop();
  }
}

/** One run of `npm test` or `npm run prove`: timed parts, one after the other. */
export class TestRun {
  readonly #reports: string;
  readonly #parts: { title: string; ms: number; result: Result }[] = [];

  /** `name` is the folder of the runners' reports, in `.cache`. */
  constructor(name: string) {
    this.#reports = `${root}.cache/${name}-reports`;
    rmSync(this.#reports, { recursive: true, force: true });
    mkdirSync(this.#reports, { recursive: true });
  }

  /** Runs a part and records its time and result. */
  async part(title: string, work: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
    const started = Date.now();
    const result = await work();
    const part = { title, ms: Date.now() - started, result };
    this.#parts.push(part);
    return part;
  }

  /** Runs Vitest and shows its output. */
  runVitest(name: string, args: string[], env: Env = {}): Promise<Result> {
    const file = this.#report(name);
    return run([...args, ...vitestReporters(file)], env).then((code) => withExitCode(readVitest(file), code));
  }

  /** Runs Playwright and shows its output. */
  runPlaywright(name: string, args: string[], env: Env = {}): Promise<Result> {
    const file = this.#report(name);
    const reported = { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: file };
    return run(args, reported).then((code) => withExitCode(readPlaywright(file), code));
  }

  /** Runs Vitest, Playwright or a script (exit code 0 = passed); shows the output only on failure. */
  async runCaptured(name: string, args: string[], env: Env = {}): Promise<Result> {
    const file = this.#report(name);
    const runner = args[0]?.includes("/vitest/") ? "vitest" : args[0]?.includes("/playwright/") ? "playwright" : null;
    const { code, output } = await capture(runner === "vitest" ? [...args, ...vitestReporters(file)] : args, {
      ...env,
      ...(runner === "playwright" && { PLAYWRIGHT_JSON_OUTPUT_NAME: file }),
    });
    if (code !== 0) console.log(`\n${output}\n`);
    if (runner === null) return { ...counted(code === 0 ? 1 : 0, code === 0 ? 0 : 1), figures: [lastLine(output)] };
    return withExitCode(runner === "vitest" ? readVitest(file) : readPlaywright(file), code);
  }

  /** Prints the time of each part, the slowest tests and `N passed, N failed`; sets the exit code. */
  finish({ withParts = true } = {}): void {
    const results = this.#parts.map(({ result }) => result);
    if (withParts) {
      heading("Time");
      for (const { title, ms } of this.#parts) console.log(`  ${formatDuration(ms).padStart(12)}  ${title}`);
    }
    const slowest = results.flatMap(({ tests }) => tests).sort((a, b) => b.ms - a.ms);
    if (slowest.length > 0) {
      heading(`The ${SLOWEST} slowest tests`);
      for (const { title, ms } of slowest.slice(0, SLOWEST)) {
        console.log(`  ${formatDuration(ms).padStart(12)}  ${title}`);
      }
    }
    const passed = results.reduce((sum, one) => sum + one.passed, 0);
    const failed = results.reduce((sum, one) => sum + one.failed, 0);
    const total = this.#parts.reduce((sum, { ms }) => sum + ms, 0);
    console.log(`\n  ${formatDuration(total)} in all\n\n${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  }

  #report(name: string): string {
    return `${this.#reports}/${name}.json`;
  }
}

const vitestReporters = (file: string) => ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];

const lastLine = (output: string) => output.trim().split("\n").at(-1)?.trim() ?? "";

/** A runner that crashes without naming a failed test, or passes none, counts as one failure. */
const withExitCode = (result: Result, code: number): Result =>
  result.failed === 0 && (code !== 0 || result.passed === 0) ? { ...result, failed: 1 } : result;

const relative = (file: string) => file.replace(root, "");

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    assertionResults: { fullName: string; duration?: number; meta: { figure?: string } }[];
  }[];
};

/** Null if the runner wrote no report. */
function read<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function readVitest(file: string): Result {
  const report = read<VitestReport>(file);
  if (!report) return counted(0, 1);
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(name) })),
  );
  return {
    ...counted(report.numPassedTests, report.numFailedTests),
    tests: tests.map(({ file, fullName, duration = 0 }) => ({ title: `${file}: ${fullName}`, ms: duration })),
    figures: tests.flatMap(({ meta }) => meta.figure ?? []),
  };
}

type Suite = {
  suites?: Suite[];
  specs: { title: string; file: string; tests: { projectName: string; results: { duration: number }[] }[] }[];
};
type PlaywrightReport = { stats: { expected: number; unexpected: number }; suites: Suite[] };

function readPlaywright(file: string): Result {
  const report = read<PlaywrightReport>(file);
  if (!report) return counted(0, 1);
  const timesIn = ({ specs, suites = [] }: Suite): TimedTest[] => [
    ...specs.flatMap(({ file: spec, title, tests }) =>
      tests.map(({ projectName, results }) => ({
        title: `[${projectName}] ${spec}: ${title}`,
        ms: results.reduce((sum, { duration }) => sum + duration, 0),
      })),
    ),
    ...suites.flatMap(timesIn),
  ];
  const { expected, unexpected } = report.stats;
  return { ...counted(expected, unexpected), tests: report.suites.flatMap(timesIn) };
}
