import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Imported first, for its effect: everything else may read a setting while it is loaded.
process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
if (existsSync(".env")) process.loadEnvFile(".env");
