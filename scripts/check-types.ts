import { fileURLToPath } from "node:url";
import { buildWhenStale } from "@/lib/server/build";
import { run } from "./steps";

/**
 * `npm run typecheck`: all types, including the checks of pages and routes that Next's build writes into
 * `.next/types`. Builds first if the last build is stale.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
await buildWhenStale(root, () => console.log("building …"), new AbortController().signal);
process.exitCode = await run([`${root}node_modules/typescript/bin/tsc`, "--noEmit", "-p", "tsconfig.check.json"]);
