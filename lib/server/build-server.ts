import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { BuildError } from "./build-output";

/** Output folder. Two levels deep like the sources, because they locate the root by relative path. */
const FOLDER = join(".next", "cardlane");
const COMMANDS = [
  "create-merchant",
  "create-staff",
  "create-key",
  "settle",
  "replay",
  "listen",
  "reconcile",
  "rotate-secret",
  "verify",
];

/**
 * Entry points of a copied build: the service, the check whether it is stale, and the operator's commands.
 */
export const ENTRIES: Record<string, string> = {
  build: "lib/server/build.ts",
  main: "lib/server/main.ts",
  pages: "lib/server/pages.ts",
  ...Object.fromEntries(COMMANDS.map((name) => [name, `scripts/${name}.ts`])),
};

/** Packages are external, because they are installed. */
export function serverBundle(root: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: FOLDER,
    outExtension: { ".js": ".mjs" },
    // A flat folder, so that relative `import.meta.url` paths resolve the same from every file.
    chunkNames: "[name]-[hash]",
    alias: { "@": root },
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20.19",
    sourcemap: true,
    logLevel: "silent",
  };
}

/**
 * Builds the service itself into JavaScript beside its pages, so that production needs neither tsx nor
 * esbuild. Throws a BuildError.
 */
export async function buildServer(root: string): Promise<void> {
  const { build, stop } = await import("esbuild");
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  try {
    await build(serverBundle(root));
  } catch (error) {
    throw new BuildError((error as Error).message);
  } finally {
    await stop();
  }
  cpSync(join(root, "db", "migrations"), join(root, FOLDER, "migrations"), { recursive: true });
}
