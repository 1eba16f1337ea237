import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";

type Entry = { version: string; integrity?: string; dev?: true; optional?: true; devOptional?: true };
type Packages = Record<string, Entry>;

const { isInstalled } = (await import("./bootstrap.mjs" as string)) as {
  isInstalled(wanted: Packages | null, installed: Packages | null, set: { dev: boolean }): boolean;
};

const next = { version: "16.0.0", integrity: "sha512-next" };
const vitest = { version: "4.0.0", integrity: "sha512-vitest", dev: true } as const;
const swc = { version: "16.0.0", integrity: "sha512-swc", optional: true } as const;
const wanted: Packages = {
  "": { version: "1.0.0" },
  "node_modules/next": next,
  "node_modules/vitest": vitest,
  "node_modules/swc-other-platform": swc,
};

describe("installed packages", () => {
  const [all, start] = [{ dev: true }, { dev: false }];

  test("an empty folder is not installed", () => {
    expect(isInstalled(wanted, null, start)).toBe(false);
    expect(isInstalled(null, {}, start)).toBe(false);
    expect(isInstalled(wanted, {}, start)).toBe(false);
  });

  test("the runtime packages are enough to start, not to test", () => {
    const installed = { "node_modules/next": next };
    expect(isInstalled(wanted, installed, start)).toBe(true);
    expect(isInstalled(wanted, installed, all)).toBe(false);
  });

  test("all packages are enough for both, even without those for other platforms", () => {
    const installed = { "node_modules/next": next, "node_modules/vitest": vitest };
    expect(isInstalled(wanted, installed, start)).toBe(true);
    expect(isInstalled(wanted, installed, all)).toBe(true);
  });

  test("a package of another version or content counts as not installed", () => {
    const installed = { "node_modules/next": next, "node_modules/vitest": vitest };
    for (const change of [{ version: "9.9.9" }, { integrity: "sha512-other" }]) {
      for (const path of Object.keys(installed) as (keyof typeof installed)[]) {
        const other = { ...installed, [path]: { ...installed[path], ...change } };
        expect(isInstalled(wanted, other, start)).toBe(false);
        expect(isInstalled(wanted, other, all)).toBe(false);
      }
    }
  });

  test("a package outside the lockfile requires a new install", () => {
    const installed = { "node_modules/next": next, "node_modules/vitest": vitest, "node_modules/left-over": swc };
    expect(isInstalled(wanted, installed, start)).toBe(false);
  });
});

describe("runs of npm", () => {
  const folder = mkdtempSync(join(tmpdir(), "cardlane-bootstrap-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(path(name), "utf8");
  /** A fake npm: logs its arguments and "installs" the requested packages. */
  const NPM = `
    import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
    const [command, ...options] = process.argv.slice(2);
    appendFileSync("calls", command + " " + options.join(" ") + "\\n");
    const packages = { "node_modules/next": ${JSON.stringify(next)} };
    if (options.includes("--include=dev")) packages["node_modules/vitest"] = ${JSON.stringify(vitest)};
    mkdirSync("node_modules", { recursive: true });
    writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
    if (process.env.BREAK) process.exit(1);`;

  function run(...args: string[]): string[] {
    writeFileSync(path("calls"), "");
    const env = { ...process.env, npm_execpath: path("npm.mjs"), NODE_ENV: "production" } as const;
    execFileSync(process.execPath, [path("scripts/bootstrap.mjs"), ...args], { env, cwd: folder, stdio: "pipe" });
    return read("calls").trim().split("\n").filter(Boolean);
  }

  test("a start omits the development packages, a test adds them, and neither removes any", () => {
    mkdirSync(path("scripts"));
    cpSync("scripts/bootstrap.mjs", path("scripts/bootstrap.mjs"));
    writeFileSync(path("npm.mjs"), NPM);
    const lock = JSON.stringify({ packages: wanted });
    writeFileSync(path("package-lock.json"), lock);
    expect(run("--omit=dev")).toEqual(["ci --omit=dev --include=optional --loglevel=error"]);
    expect(run("--omit=dev")).toEqual([]);
    expect(run()).toEqual(["install --no-save --include=dev --include=optional --loglevel=error"]);
    expect(run()).toEqual([]);
    expect(run("--omit=dev")).toEqual([]);
    expect(read("package-lock.json")).toBe(lock);
  });

  test("an interrupted install starts over", () => {
    rmSync(path("node_modules"), { recursive: true });
    expect(run("--omit=dev")).toHaveLength(1);
    vi.stubEnv("BREAK", "1");
    expect(() => run()).toThrow("could not be installed");
    vi.unstubAllEnvs();
    writeFileSync(path("node_modules/.package-lock.json"), JSON.stringify({ packages: { "node_modules/next": next } }));
    expect(run()).toEqual(["ci --include=dev --include=optional --loglevel=error"]);
  });

  test("packages that no longer match the lockfile are reinstalled", () => {
    const newer = { ...wanted, "node_modules/next": { ...next, version: "16.0.1" } };
    writeFileSync(path("package-lock.json"), JSON.stringify({ packages: newer }));
    expect(run()).toEqual(["ci --include=dev --include=optional --loglevel=error"]);
  });
});
