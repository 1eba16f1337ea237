import "./load-environment";
import { ConfigurationError, configure, env } from "@/lib/env";
import { maskProcessOutput } from "@/lib/log-output";
import { createConsole } from "./console";

// Before anything else can write. What this file and the start print is our own, with a sandbox card to try.
const write = maskProcessOutput();
const dev = process.argv.includes("--dev");
const console = createConsole({ write: (text) => write(text), isTTY: process.stdout.isTTY });
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
