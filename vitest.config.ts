import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import mdxLoader from "./scripts/mdx-loader.cjs";

const root = fileURLToPath(new URL(".", import.meta.url));
const resolve = {
  alias: {
    "@": root.replace(/\/$/, ""),
    // Next gives this marker its meaning; under Node it would only throw.
    "server-only": `${root}node_modules/next/dist/compiled/server-only/empty.js`,
  },
};
/** Pages in Markdown, as the build reads them. */
const mdx = {
  name: "mdx",
  enforce: "pre" as const,
  transform: (source: string, id: string) => (id.endsWith(".mdx") ? mdxLoader(source) : undefined),
};

/** Vite says "/" there, which is no address of the service. */
const env = { BASE_URL: "" };
const exclude = ["node_modules", ".next", ".data", ".cache"];

export default defineConfig({
  test: {
    // Two cores: more workers only wait for each other and for PostgreSQL.
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
          // For what hangs: a machine with other work takes several times as long, and is not wrong.
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
          // Nearly every file needs nearly every module: to load them for each takes longer than most files.
          isolate: false,
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
          // The long ones run by name only: scripts/proofs.ts.
          include: ["e2e/proof/*.proof.ts", ...(process.env.PROOF_LONG ? ["e2e/proof/*.long.ts"] : [])],
          exclude,
          globalSetup: ["e2e/fixtures/cluster.ts"],
          // A proof starts services and loads both cores by itself.
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
