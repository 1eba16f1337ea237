// `npm start`: builds what is stale in a separate process, which needs a compiler and much memory, then
// becomes the built service.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = (name) => pathToFileURL(join(root, ".next", "cardlane", name)).href;

/**
 * Checks the last build's own record, without loading the compiler that checks the sources, which halves a
 * warm start.
 */
async function isFresh() {
  if (!existsSync(new URL(built("build.mjs")))) return false;
  const { isStale } = await import(built("build.mjs"));
  return !isStale(root);
}

async function build() {
  const args = ["--import", "tsx", join(root, "scripts", "build.ts"), "--start"];
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    child.kill("SIGTERM");
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (isStopping) {
    process.stdout.write("\n  Stopping …\n");
    process.exit(0);
  }
  if (code !== 0) process.exit(code ?? 1);
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, stop);
}

if (!(await isFresh())) await build();
await import(built("main.mjs"));
