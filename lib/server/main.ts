import "./load-environment";
import { ConfigurationError, configure, env } from "@/lib/env";
import { maskProcessOutput } from "@/lib/log-output";
import { createConsole } from "./console";

// Must run before any output. Our own start-up text bypasses the mask, because it shows a sandbox card.
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

// Imported late: React and Next read NODE_ENV when they are loaded, and the logger its level.
const { start } = await import("./start");
await start({ dev, console, root: process.cwd() });
