import { fileURLToPath } from "node:url";
import { buildWhenStale, isStale } from "@/lib/server/build";
import { BuildError } from "@/lib/server/build-output";
import { createConsole } from "@/lib/server/console";

/**
 * `npm run build`: builds the pages, the payment form and the service. `npm start` calls it with `--start`,
 * which prints steps and checks, before a long build, for anything that would end the start.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const stopping = new AbortController();
const say = (line: string) => process.stdout.write(`${line}\n`);

async function build(): Promise<void> {
  const isNew = await buildWhenStale(root, () => say("Building …"), stopping.signal);
  say(isNew ? "Built." : "The build is already up to date.");
}

async function buildBeforeStart(): Promise<void> {
  await import("@/lib/server/load-environment");
  const { env } = await import("@/lib/env");
  const { checkPort } = await import("@/lib/server/address");
  env.check();
  await checkPort(env.port, env.listenAddress);
  if (!isStale(root)) return;
  const console = createConsole(process.stdout);
  console.line();
  await console.step("Checks", async (progress) => {
    const { openService } = await import("@/lib/server/open-service");
    const opened = await openService({ applicationName: "cardlane-start", onProgress: progress });
    await opened.close();
    progress("settings and database");
  });
  stopping.signal.throwIfAborted();
  await console.step("Build", async (progress) => {
    await buildWhenStale(root, () => {}, stopping.signal, progress);
    progress("pages and service");
  });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
try {
  await (process.argv.includes("--start") ? buildBeforeStart() : build());
} catch (error) {
  process.exitCode = 1;
  if (!stopping.signal.aborted) await report(error);
}

async function report(error: unknown): Promise<void> {
  const { explain } = await import("@/lib/server/console");
  const sentence = error instanceof BuildError ? error.message : explain(error);
  if (sentence === null) throw error;
  createConsole(process.stderr).problem(sentence);
}
