import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { withFileLock } from "@/db/file-lock";
import { buildNodeClient } from "./build-node-client";
import { BuildError, compressBuild } from "./build-output";
import { buildPaymentForm, isPaymentFormOutput, paymentFormHash } from "./build-payment-form";
import { buildServer, ENTRIES } from "./build-server";

/** Sources of the pages and the service, except tsconfig.json, which Next rewrites. */
const SOURCES = [
  ...["app", "components", "lib", "db", "packages", "public"],
  ...["package.json", "package-lock.json", "next.config.ts", "postcss.config.mjs"],
  ...["instrumentation.ts", "proxy.ts", "scripts/without-injected-styles.cjs", "scripts/mdx-loader.cjs"],
  ...Object.values(ENTRIES),
  "scripts/replay",
];

/** True if there is no build, or its sources differ. */
export const isStale = (root: string): boolean => !isBuilt(root, sourceHash(root));

/** Builds unless the last build has exactly these sources; returns whether it did. `say` reports progress. */
export async function buildWhenStale(
  root: string,
  onBuild: () => void,
  signal: AbortSignal,
  say: (what: string) => void = () => {},
): Promise<boolean> {
  if (!isStale(root)) return false;
  return withFileLock(join(root, ".cache", "build.lock"), async () => {
    const hash = sourceHash(root);
    if (isBuilt(root, hash)) return false;
    onBuild();
    rmSync(stampFile(root), { force: true });
    say("pages");
    // Both end before the lock is released.
    const built = await Promise.allSettled([buildPages(root, signal, say), buildForMerchants(root)]);
    for (const one of built) if (one.status === "rejected") throw one.reason;
    // Only now, because Next empties the output folder.
    say("service");
    await Promise.all([buildServer(root), compressBuild(join(root, ".next", "static"))]);
    writeFileSync(stampFile(root), stamp(root, hash));
    return true;
  });
}

const stampFile = (root: string) => join(root, ".next", "cardlane-sources");
/** Includes the payment form's output, because `npm run dev` overwrites it from the current sources. */
const stamp = (root: string, sources: string) => `${sources} ${paymentFormHash(root)}`;

function isBuilt(root: string, sources: string): boolean {
  const file = stampFile(root);
  if (!existsSync(join(root, ".next", "BUILD_ID")) || !existsSync(file)) return false;
  return readFileSync(file, "utf8") === stamp(root, sources);
}

const TESTS = /\.test\.tsx?$/;

/** One digest of all names and contents, excluding tests. */
export function sourceHash(root: string): string {
  const hash = createHash("sha256");
  const visit = (path: string) => {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry?.isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else if (entry?.isFile() && !TESTS.test(relative(root, path)) && !isPaymentFormOutput(relative(root, path))) {
      hash.update(`${relative(root, path)}\0${entry.size}\0`).update(readFileSync(path));
    }
  };
  for (const source of SOURCES) visit(join(root, source));
  return hash.digest("hex");
}

/** Sequential: each stops the compiler's process when it is done. */
async function buildForMerchants(root: string): Promise<void> {
  await buildPaymentForm(root);
  await buildNodeClient(root);
}

/** Progress lines in Next's output. */
const PHASE = /^ *((?:Creating|Collecting|Generating|Finalizing) [a-z ]+)/gm;

function buildPages(root: string, signal: AbortSignal, say: (what: string) => void): Promise<void> {
  const child = spawn(process.execPath, [join(root, "node_modules/next/dist/bin/next"), "build"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output.push(chunk);
      const phase = [...chunk.toString("utf8").matchAll(PHASE)].at(-1)?.[1];
      // Next appends "using 1 worker" to some of them.
      if (phase !== undefined) say(`pages: ${phase.split(" using")[0]?.trim().toLowerCase()}`);
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new BuildError(Buffer.concat(output).toString("utf8").trim()));
    });
  });
}
