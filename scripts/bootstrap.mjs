// Runs before anything is installed: checks Node and installs the lockfile's packages, or with `--omit=dev`
// only those needed to build and run.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const lockFile = join(root, ".cache", "install.lock");

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(
    `Cardlane needs Node.js 20.19 or newer, and this is ${process.versions.node}: install it from https://nodejs.org.`,
  );
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? {};
  } catch {
    return null;
  }
}

/**
 * True if node_modules matches the lockfile, with or without development packages. Extra development
 * packages are fine, and optional packages may be absent: they are for other platforms.
 */
export function isInstalled(wanted, installed, { dev }) {
  if (!wanted || !installed) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "" || entry.extraneous) continue;
    const present = installed[path];
    const isNeeded = !entry.optional && !entry.devOptional && (dev || !entry.dev);
    if (!present && isNeeded) return false;
    if (present && (present.version !== entry.version || present.integrity !== entry.integrity)) return false;
  }
  return Object.keys(installed).every((path) => path in wanted);
}

const wantedFile = join(root, "package-lock.json");
const installedFile = join(root, "node_modules", ".package-lock.json");
const stampFile = join(root, "node_modules", ".cardlane-installed");

function stamp({ dev }) {
  const hash = createHash("sha256").update(dev ? "all" : "no dev");
  for (const file of [wantedFile, installedFile]) hash.update(readFileSync(file));
  return hash.digest("hex");
}

const isHere = (set) => isInstalled(readPackages(wantedFile), readPackages(installedFile), set);

const isStamped = (set) =>
  existsSync(installedFile) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp(set);

/** Checks the stamp first: npm would omit the same packages again. */
const upToDate = (set) => isStamped(set) || isHere(set);

function holderIsAlive() {
  try {
    process.kill(Number(readFileSync(lockFile, "utf8")), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Prevents two services that start in one folder from installing at the same time. */
async function lock() {
  for (;;) {
    try {
      mkdirSync(dirname(lockFile), { recursive: true });
      const file = openSync(lockFile, "wx");
      writeFileSync(file, String(process.pid));
      closeSync(file);
      process.on("exit", () => rmSync(lockFile, { force: true }));
      return;
    } catch (error) {
      if (error.code !== "EEXIST") fail(`The folder ${root} cannot be written to: ${error.message}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (existsSync(lockFile) && !holderIsAlive()) rmSync(lockFile, { force: true });
  }
}

function showProgress(label, detail) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const tty = process.stderr.isTTY;
  if (!tty) process.stderr.write(`  … ${label}\n`);
  const timer = tty && setInterval(() => process.stderr.write(`\r\x1b[2K  … ${label}  ${detail()}  ${seconds()}`), 200);
  return (mark) => {
    clearInterval(timer);
    process.stderr.write(`${tty ? "\r\x1b[2K" : ""}  ${mark} ${label}  ${seconds()}\n`);
  };
}

/** The folders that npm always creates; which optional packages it installs depends on the platform. */
function foldersOf({ dev }) {
  return Object.entries(readPackages(wantedFile) ?? {})
    .filter(([path, entry]) => path !== "" && !entry.optional && !entry.devOptional && (dev || !entry.dev))
    .map(([path]) => join(root, path));
}

function install({ dev }) {
  const npm = process.env.npm_execpath;
  // `npm ci` removes everything first. Packages are only added to an install that is known to be complete.
  const command = dev && isStamped({ dev: false }) ? ["install", "--no-save"] : ["ci"];
  rmSync(stampFile, { force: true });
  // Explicit, because NODE_ENV changes the default.
  const args = [...command, dev ? "--include=dev" : "--omit=dev", "--include=optional", "--loglevel=error"];
  const child = npm
    ? spawn(process.execPath, [npm, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    : spawn("npm", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    child.on("close", (code) => resolve({ code, output }));
  });
}

/**
 * Installs the lockfile's packages, without `dev` only those needed to build and run; ends the process if
 * that fails. Keeps development packages that fit the lockfile.
 */
export async function bootstrap(set = { dev: false }) {
  checkNode();
  if (upToDate(set)) return;
  await lock();
  if (upToDate(set)) return;
  const folders = foldersOf(set).filter((folder) => !existsSync(folder));
  const there = () => folders.filter((folder) => existsSync(join(folder, "package.json"))).length;
  const done = showProgress("Installing packages", () => `${there()} of ${folders.length}`);
  const { code, output } = await install(set);
  done(code === 0 ? "✓" : "✗");
  if (code === 0) return writeFileSync(stampFile, stamp(set));
  fail(`${output.trim()}\nThe packages could not be installed: npm ended with the error above.`);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await bootstrap({ dev: !process.argv.includes("--omit=dev") });
}
