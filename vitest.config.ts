import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import mdxLoader from "./scripts/mdx-loader.cjs";

const root = fileURLToPath(new URL(".", import.meta.url));
const resolve = {
  alias: {
    "@": root.replace(/\/$/, ""),
    // Next defines this marker; under plain Node it would throw.
    "server-only": `${root}node_modules/next/dist/compiled/server-only/empty.js`,
  },
};
/** Loads Markdown pages as the build does. */
const mdx = {
  name: "mdx",
  enforce: "pre" as const,
  transform: (source: string, id: string) => (id.endsWith(".mdx") ? mdxLoader(source) : undefined),
};

/** Vite sets BASE_URL to "/", which is not an address of the service. */
const env = { BASE_URL: "" };
const exclude = ["node_modules", ".next", ".data", ".cache"];

export default defineConfig({
  test: {
    // Two cores: more workers would compete with each other and with PostgreSQL.
    maxWorkers: 2,
    projects: [
      {
        resolve,
        plugins: [mdx],
        test: {
          name: "unit",
          env,
          include: ["**/*.test.ts", "**/*.test.tsx"],
          exclude: [...exclude, "**/*.int.test.ts"],
          isolate: false,
          // Generous, to catch only hangs: a busy machine can take several times as long.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        resolve,
        test: {
          name: "int",
          env,
          include: ["**/*.int.test.ts"],
          exclude,
          // Nearly every file imports nearly every module; loading them per file takes longer than the tests.
          isolate: false,
          // Two would wait for PostgreSQL, timers and child processes a third of the time. A number of workers needs
          // a group of its own.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          setupFiles: ["e2e/fixtures/fresh-process.ts"],
          globalSetup: ["e2e/fixtures/cluster.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        resolve,
        test: {
          name: "proof",
          env,
          // Long proofs run by name only: scripts/proofs.ts.
          include: ["e2e/proof/*.proof.ts", ...(process.env.PROOF_LONG ? ["e2e/proof/*.long.ts"] : [])],
          exclude,
          globalSetup: ["e2e/fixtures/cluster.ts"],
          // Each proof starts services and loads both cores.
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
