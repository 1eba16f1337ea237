import { fileURLToPath } from "node:url";
import { BuildError } from "@/lib/server/build-error";
import { buildHosted } from "@/lib/server/build-hosted";

/** Part of `npm run build`: the merchants' script and the payment form, which `next build` knows nothing of. */
try {
  await buildHosted(fileURLToPath(new URL("..", import.meta.url)));
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
