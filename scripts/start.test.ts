import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "cardlane-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(root: string, env: Record<string, string> = {}) {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [join(root, "scripts", "start.mjs")], { env: { PATH, HOME, ...env } as never });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output: output.trim() }));
  return { child, ended, output: () => output };
}

describe("an impossible start ends with one sentence, before anything is built", () => {
  const settings = { DATA_DIR: folder, CARDLANE_ENV: "sandbox" };

  test("a wrong setting", async () => {
    const { ended } = start(resolve("."), { ...settings, LISTEN_ADDRESS: "here" });
    expect(await ended).toEqual({
      code: 1,
      output: 'LISTEN_ADDRESS must be an IP address such as 127.0.0.1 or 0.0.0.0, not "here".',
    });
  });

  test("a port in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { ended } = start(resolve("."), { ...settings, PORT: String(port) });
    expect(await ended).toEqual({
      code: 1,
      output: `Port ${port} is already in use: stop what uses it, or choose another with PORT.`,
    });
    other.close();
  });
});

/** A project with this build script, whose built service prints a line. */
function project(name: string, build: string): string {
  const root = join(folder, name);
  for (const path of ["scripts", ".next/cardlane"]) mkdirSync(join(root, path), { recursive: true });
  cpSync("scripts/start.mjs", join(root, "scripts", "start.mjs"));
  symlinkSync(resolve("node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "scripts", "build.ts"), build);
  writeFileSync(join(root, ".next/cardlane/main.mjs"), "console.log(`service ${process.pid} ${process.argv.length}`);");
  return root;
}

test("the built service runs in the process that was started, with its own signal handlers", async () => {
  const { child, ended } = start(project("built", "process.stdout.write('built, ');"));
  expect(await ended).toEqual({ code: 0, output: `built, service ${child.pid} 2` });
});

test("a build that failed ends the start", async () => {
  const { ended } = start(project("failing", "console.log('no'); process.exitCode = 3;"));
  expect(await ended).toEqual({ code: 3, output: "no" });
});

test("on a signal to stop while it builds, it stops the build, and starts nothing", async () => {
  const build =
    "process.on('SIGTERM', () => { console.log('stopped'); process.exit(1); }); setInterval(() => {}, 1000); console.log('building');";
  const { child, ended, output } = start(project("long", build));
  await expect.poll(output, { timeout: 20_000, interval: 20 }).toContain("building");
  child.kill("SIGTERM");
  expect(await ended).toEqual({ code: 0, output: "building\nstopped\n\n  Stopping …" });
});
