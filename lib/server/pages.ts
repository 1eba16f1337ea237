import { createServer } from "node:http";
import { ConfigurationError, configure, env } from "@/lib/env";
import { maskProcessOutput } from "@/lib/log-output";
import type { FromPages, PagesStart, ToPages } from "./pages-process";

/** Entry point of the pages process. PagesProcess starts it, and stops it by closing the channel. */
maskProcessOutput();
// Only this user may open its socket.
process.umask(0o077);
// Terminals and service managers signal both processes, but this one must outlive the other's requests.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

/** Time limit for requests in progress when the channel closes. */
const END_LIMIT_MS = 5_000;

let end = async () => {};
function leave(): void {
  setTimeout(() => process.exit(1), END_LIMIT_MS);
  void end().finally(() => process.exit());
}
process.once("disconnect", leave);
if (!process.connected) leave();

const say = (message: FromPages) => void process.send?.(message, () => {});

process.once("message", (message: ToPages) => {
  if (!("start" in message)) return;
  serve(message.start).then(
    () => say({ ready: true }),
    (error: unknown) => {
      process.exitCode = 1;
      const isSentence = error instanceof ConfigurationError;
      const failed = error instanceof Error ? (!isSentence && error.stack) || error.message : String(error);
      process.send?.({ failed } satisfies FromPages, () => process.exit());
    },
  );
});

async function serve({ root, socket, settings, embedded, connections, demo }: PagesStart): Promise<void> {
  configure(settings);
  // Imported late, because the logger reads its level when it is loaded.
  const { openPages } = await import("./open-pages");
  const url = env.databaseUrl ?? "";
  const pages = await openPages({ root, url, embedded, connections, demo });
  const server = createServer(pages.serverOptions, pages.listener);
  // By default Node keeps 1,000 headers and drops the last, which are the service's: the caller's address and
  // the nonce.
  server.maxHeadersCount = 0;
  end = () => {
    server.close();
    server.closeIdleConnections();
    return pages.close();
  };
  process.on("message", (message: ToPages) => {
    if ("alive" in message) say(message);
    if (!("figuresFor" in message)) return;
    const { figuresFor } = message;
    void pages.figures().then((figures) => say({ figuresFor, figures }));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
}
