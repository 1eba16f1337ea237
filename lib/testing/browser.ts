import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { chromium } from "@playwright/test";

export type Browser = {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string>;
};

const SYSTEM = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"];
const SYSTEM_PATHS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/**
 * The browser for the tests: the one that comes as an npm package, so that they mean the same on every machine. `chosen`,
 * E2E_BROWSER by default: `system` for one that is installed, or the path of any Chromium.
 */
export async function findBrowser(chosen = process.env.E2E_BROWSER): Promise<Browser> {
  if (!chosen || chosen === "packaged") return (await fromPackage()) ?? installed("system");
  return installed(chosen);
}

function installed(chosen: string): Browser {
  const path = chosen === "system" ? findInstalled() : chosen;
  if (!path || !existsSync(path)) {
    throw new Error(
      `E2E_BROWSER=${chosen}: there is no such browser. Give the path of a Chromium, or "system" for one that is installed.`,
    );
  }
  return { executablePath: path, args: commonArgs(), env: {} };
}

function findInstalled(): string | undefined {
  return [findOnPath(), ...SYSTEM_PATHS, chromium.executablePath()].find((path) => path && existsSync(path));
}

function commonArgs(): string[] {
  const isRoot = process.getuid?.() === 0;
  return ["--disable-background-networking", "--disable-dev-shm-usage", ...(isRoot ? ["--no-sandbox"] : [])];
}

function findOnPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return SYSTEM.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * Unpacks the browser, and the system libraries that come with it, into `.cache/chromium`: needs no root. Null where there
 * is none: it is made for Linux on x64.
 */
async function fromPackage(): Promise<Browser | null> {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  const folder = resolve(".cache", "chromium");
  mkdirSync(folder, { recursive: true });
  const before = { ...process.env };
  // It unpacks into the temporary folder, and its libraries only where it believes itself on a bare cloud function.
  Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x" });
  try {
    const { default: packaged } = await import("@sparticuz/chromium");
    packaged.setGraphicsMode = false;
    return {
      executablePath: await packaged.executablePath(),
      args: [...commonArgs(), "--no-sandbox", "--disable-setuid-sandbox", "--no-zygote"],
      env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_PATH: withFonts(folder) },
    };
  } finally {
    for (const name of ["TMPDIR", "AWS_LAMBDA_JS_RUNTIME", "LD_LIBRARY_PATH", "FONTCONFIG_PATH"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/**
 * A configuration that finds the packaged font: its own looks in a cloud function's folders alone. Without any font, this
 * browser dies as soon as it needs one of the system's, in a date field for instance.
 */
function withFonts(folder: string): string {
  const config = join(folder, "fontconfig");
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, "fonts.conf"),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(folder, "fonts")}</dir><cachedir>${join(config, "cache")}</cachedir></fontconfig>\n`,
  );
  return config;
}
