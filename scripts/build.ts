import { fileURLToPath } from "node:url";
import { buildWhenStale } from "@/lib/server/build";
import { BuildError } from "@/lib/server/build-error";

/** `npm run build`: what `npm start` would build, the pages, the payment form and the service itself, and nothing else. */
const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const isNew = await buildWhenStale(root, () => say("Building …"), new AbortController().signal);
  say(isNew ? "Built." : "The build of these sources is there already.");
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
