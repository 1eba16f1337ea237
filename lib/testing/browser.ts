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
 * The browser for the tests, with nothing to install by hand: one that is on this machine, else the one Playwright
 * downloaded, else the one that comes as an npm package.
 */
export async function findBrowser(): Promise<Browser> {
  const installed = process.env.CHROMIUM_PATH ?? findOnPath() ?? SYSTEM_PATHS.find((path) => existsSync(path));
  if (installed) return { executablePath: installed, args: commonArgs(), env: {} };
  const downloaded = chromium.executablePath();
  if (existsSync(downloaded)) return { executablePath: downloaded, args: commonArgs(), env: {} };
  return fromPackage();
}

function commonArgs(): string[] {
  const isRoot = process.getuid?.() === 0;
  return ["--disable-background-networking", "--disable-dev-shm-usage", ...(isRoot ? ["--no-sandbox"] : [])];
}

function findOnPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return SYSTEM.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Unpacks the browser, and the system libraries that come with it, into `.cache/chromium`: needs no root. */
async function fromPackage(): Promise<Browser> {
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
