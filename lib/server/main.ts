import "./load-environment";
import { ConfigurationError, configure, env } from "@/lib/env";
import { createConsole } from "./console";

const dev = process.argv.includes("--dev");
const console = createConsole(process.stdout);
configure({ NODE_ENV: dev ? "development" : "production", NEXT_TELEMETRY_DISABLED: "1" });
try {
  env.check();
  if (dev && env.isProduction) throw new ConfigurationError("npm run dev is no production service: use npm start.");
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.problem(error.message);
  process.exit(1);
}

// Imported only now: React and Next look at NODE_ENV when they are loaded, and the log at its level.
const { start } = await import("./start");
await start({ dev, console, root: process.cwd() });
