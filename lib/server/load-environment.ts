import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ConfigurationError, env } from "@/lib/env";

// Import this first: other modules may read settings when they are loaded.
process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
if (existsSync(".env")) process.loadEnvFile(".env");

// The log needs its level while modules are loaded, before any program could report a mistake in it.
try {
  void env.logLevel;
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
