// Runs a command of the operator, `node scripts/command.mjs NAME …`: from its source, with everything installed that the lockfile
// asks for; where only the packages of run time are installed, as the build left it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bootstrap } from "./bootstrap.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [name, ...args] = process.argv.slice(2);
const built = join(root, ".next", "cardlane", `${name}.mjs`);

/** npm writes this list last. Without tsx the source cannot run. */
function isForRunTimeAlone() {
  const list = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(built) || !existsSync(list)) return false;
  const { packages } = JSON.parse(readFileSync(list, "utf8"));
  return "node_modules/next" in packages && !("node_modules/tsx" in packages);
}

async function runSource() {
  await bootstrap();
  const source = join(root, "scripts", `${name}.ts`);
  const child = spawn(process.execPath, ["--import", "tsx", source, ...args], { cwd: root, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("close", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
}

if (isForRunTimeAlone()) {
  process.argv.splice(1, 2, built);
  await import(pathToFileURL(built).href);
} else {
  await runSource();
}
