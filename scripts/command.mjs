// Runs an operator's command, `node scripts/command.mjs NAME …`: from source, after installing its packages,
// or, in a copied build without sources, as built.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bootstrap } from "./bootstrap.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [name, ...args] = process.argv.slice(2);
const source = join(root, "scripts", `${name}.ts`);
const built = join(root, ".next", "cardlane", `${name}.mjs`);

async function runSource() {
  await bootstrap();
  const child = spawn(process.execPath, ["--import", "tsx", source, ...args], { cwd: root, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("close", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
}

if (!existsSync(source) && existsSync(built)) {
  process.argv.splice(1, 2, built);
  await import(pathToFileURL(built).href);
} else {
  await runSource();
}
