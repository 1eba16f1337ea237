import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { buildWhenStale } from "@/lib/server/build";

type Budget = { name: string; files: () => string[]; kb: number };

/**
 * Budgets for a page's first load in kB: all JavaScript that the browser fetches for it, compressed with
 * Brotli, which every browser accepts over https and on localhost.
 */
const BUDGETS: Budget[] = [
  { name: "/[mode]/transactions", files: () => filesOf("(dashboard)/[mode]/transactions/page"), kb: 185 },
  { name: "/pay/{token}, the payment form", files: () => ["public/sdk/frame.js"], kb: 40 },
  { name: "/sdk/v1.js, in the merchant's page", files: () => ["public/sdk/v1.js"], kb: 5.1 },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const built = (path: string) => readFileSync(join(root, path));

type ClientManifest = { entryJSFiles: Record<string, string[]> };

/** Loaded only for unknown addresses. */
const NOT_LOADED = "[project]/app/not-found";

/** Files of the framework, and of the page's layouts and boundaries. */
function filesOf(page: string): string[] {
  const { rootMainFiles } = JSON.parse(built(".next/build-manifest.json").toString("utf8")) as {
    rootMainFiles: string[];
  };
  const scope: { __RSC_MANIFEST?: Record<string, ClientManifest> } = {};
  runInNewContext(built(`.next/server/app/${page}_client-reference-manifest.js`).toString("utf8"), {
    globalThis: scope,
    self: scope,
  });
  const [manifest] = Object.values(scope.__RSC_MANIFEST ?? {});
  if (!manifest) throw new Error(`the build says nothing of the files of ${page}`);
  const entries = Object.entries(manifest.entryJSFiles).filter(([entry]) => entry !== NOT_LOADED);
  const files = new Set([...rootMainFiles, ...entries.flatMap(([, own]) => own)]);
  return [...files].map((file) => `.next/${file}`);
}

/** `npm run size`: fails if a first load is over its budget. Builds first if the last build is stale. */
await buildWhenStale(root, () => console.log("building …"), new AbortController().signal);
for (const { name, files, kb } of BUDGETS) {
  const sizes = files().map((file) => ({ file, bytes: built(`${file}.br`).length }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
  console.log(`${name}: ${total.toFixed(1)} kB of compressed JavaScript (at most ${kb})`);
  if (total <= kb) continue;
  for (const { file, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
    console.log(`  ${(bytes / 1000).toFixed(1).padStart(7)} kB  ${file}`);
  }
  process.exitCode = 1;
}
