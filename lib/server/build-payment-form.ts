import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BuildContext, BuildOptions, BuildResult, Message, Plugin } from "esbuild";
import { BuildError, compressBuild } from "./build-output";

/**
 * Files that browsers load for a payment, built apart from the pages: the merchants' script runs on other
 * sites, and the payment form would be twice as large with React and Next.
 */
const FOLDER = join("public", "sdk");
const FILES = ["v1.js", "frame.js", "frame.css"].map((name) => join(FOLDER, name));

/**
 * Builds the files into `public/sdk`, with their compressed copies. Throws a BuildError for warnings as well.
 */
export async function buildPaymentForm(root: string): Promise<void> {
  const { build, formatMessages, stop } = await import("esbuild");
  try {
    const results = await Promise.allSettled(bundles(root).map((bundle) => build(bundle)));
    const messages = results.flatMap(messagesOf);
    if (messages.length > 0) throw new BuildError((await formatMessages(messages, { kind: "error" })).join(""));
  } finally {
    // Otherwise esbuild's process would run as long as the service.
    await stop();
  }
  await compressBuild(join(root, FOLDER));
}

/** For development: builds once, and again after every change, until the returned function is called. */
export async function watchPaymentForm(root: string): Promise<() => Promise<void>> {
  await buildPaymentForm(root);
  const { context } = await import("esbuild");
  const contexts = await Promise.all(bundles(root).map((bundle) => context({ ...bundle, logLevel: "warning" })));
  await Promise.all(contexts.map((one: BuildContext) => one.watch()));
  return async () => {
    await Promise.all(contexts.map((one) => one.dispose()));
  };
}

/** Digest of the built files, to detect later changes by other programs. Null if a file is missing. */
export function paymentFormHash(root: string): string | null {
  const files = FILES.flatMap((file) => ["", ".br", ".gz"].map((copy) => join(root, file + copy)));
  if (!files.every((file) => existsSync(file))) return null;
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

/** True for a path, relative to the root, that the build writes. */
export const isPaymentFormOutput = (path: string) => dirname(path) === FOLDER && !path.endsWith(".d.ts");

/**
 * The oldest browsers that we support: the first with `Object.hasOwn` and `reportError`, which nothing here
 * polyfills.
 */
const BROWSERS = ["es2020", "chrome95", "edge95", "firefox100", "safari15.4"];

function bundles(root: string): BuildOptions[] {
  const common: BuildOptions = {
    absWorkingDir: root,
    outdir: FOLDER,
    tsconfig: join(root, "tsconfig.json"),
    bundle: true,
    minify: true,
    format: "iife",
    target: BROWSERS,
    legalComments: "none",
    logLevel: "silent",
    write: false,
    plugins: [writeChanged(root)],
  };
  return [
    // ASCII only, because a merchant's page may use any encoding.
    { ...common, entryPoints: { v1: "lib/client/checkout/sdk/v1.ts" }, charset: "ascii" },
    {
      ...common,
      entryPoints: [
        { in: "components/checkout/payment-form/main.tsx", out: "frame" },
        { in: "components/checkout/payment-form/frame.css", out: "frame" },
      ],
      charset: "utf8",
      jsx: "automatic",
      jsxImportSource: "preact",
      define: { "process.env.NODE_ENV": '"production"' },
    },
  ];
}

/** Replaces each file atomically, and none if the build failed. Unchanged files keep their ETag. */
function writeChanged(root: string): Plugin {
  return {
    name: "write-changed",
    setup(build) {
      build.onEnd(({ errors, outputFiles = [] }) => {
        if (errors.length > 0) return;
        mkdirSync(join(root, FOLDER), { recursive: true });
        for (const { path, contents } of outputFiles) {
          if (existsSync(path) && readFileSync(path).equals(contents)) continue;
          const draft = `${path}.${process.pid}`;
          writeFileSync(draft, contents);
          renameSync(draft, path);
        }
      });
    },
  };
}

function messagesOf(result: PromiseSettledResult<BuildResult>): Message[] {
  if (result.status === "fulfilled") return result.value.warnings;
  const { errors } = result.reason as { errors?: Message[] };
  if (!errors) throw result.reason;
  return errors;
}
