import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Import this first: other modules may read settings when they are loaded.
process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
if (existsSync(".env")) process.loadEnvFile(".env");
