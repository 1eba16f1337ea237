import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { Agent, type IncomingMessage, maxHeaderSize, request as requestFrom, type ServerResponse } from "node:http";
import { getPriority, setPriority, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Connections } from "@/db/client";
import { AppError } from "@/lib/contract/errors";
import { env, handOver } from "@/lib/env";
import type { DemoShop } from "@/lib/http/demo";
import type { MetricFigures } from "@/lib/http/metrics";
import { log } from "@/lib/log";
import { hasSeenProxy } from "@/lib/mail/mail";
import { hasBody } from "./gate";
import type { Listener } from "./http-server";
import { noteOutage, PAGES_STARTING } from "./outages";
import type { RenderedPage, RenderPage } from "./public-pages";

/** Messages to the pages process, over a private channel. */
export type ToPages = { readonly start: PagesStart } | { readonly figuresFor: number } | { readonly alive: true };
export type PagesStart = {
  readonly root: string;
  readonly socket: string;
  /** The database and the secrets, as `configure` takes them. */
  readonly settings: Record<string, string>;
  readonly embedded: boolean;
  readonly connections: Connections;
  readonly demo: DemoShop | null;
};

/** Messages from the process. `failed` is a sentence or a stack. */
export type FromPages =
  | { readonly ready: true }
  | { readonly alive: true }
  | { readonly failed: string }
  | { readonly figuresFor: number; readonly figures: MetricFigures };

export type PagesOptions = Omit<PagesStart, "socket" | "settings"> & {
  /** Entry file of the process. */
  readonly file: string;
  readonly dataDir: string;
  /** Milliseconds between two liveness checks. */
  readonly lookMs?: number;
  /** Max time in milliseconds that a page request waits while the process starts. */
  readonly holdMs?: number;
};

/** Set to "1" once this service has seen a proxy: the pages process can't see callers' connections. */
export const PROXIED_HEADER = "x-cardlane-proxied";

/** A page's memory becomes garbage immediately, so a larger young generation would only use more. */
const MEMORY = ["--max-old-space-size=512", "--max-semi-space-size=2"];
/** Lower priority (nice value): on a busy machine, payments go first and pages take a few ms longer. */
const LESS_URGENT = 5;
/** Pause before a restart. Doubles with each one, and resets once a process has run for `RUNS_MS`. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const RUNS_MS = 30_000;
const ENDS_WITHIN_MS = 10_000;
/** Liveness check, because a hung process never exits. Six misses take 30 s, longer than any page. */
const LOOK_MS = 5_000;
const MAX_UNANSWERED = 6;
/** Start timeout. A recovering database delays the start; anything longer means that the process hangs. */
const READY_WITHIN_MS = 120_000;
/** Longer than the process takes to start: 1 to 5 s. */
const HOLD_MS = 10_000;
const FIGURES_WITHIN_MS = 1_000;

/**
 * Runs Next in its own process, so that payments don't wait for pages. Restarts it if it exits; page requests
 * wait for the restart, up to `holdMs`. It exits when this process does, because their channel closes.
 */
export class PagesProcess {
  readonly #options: PagesOptions;
  readonly #socket: string;
  readonly #stopping = new AbortController();
  readonly #held = new Set<() => void>();
  #child: ChildProcess | null = null;
  #isReady = false;
  #requested = 0;

  constructor(options: PagesOptions) {
    this.#options = options;
    this.#socket = socketIn(options.dataDir);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Keeps a process running until `stop`. Resolves when the first one is ready; rejects with the reason if it
   * fails.
   */
  start(): Promise<void> {
    const first = this.#run();
    void this.#keepRunning(first);
    return first.then(() => {});
  }

  async #keepRunning(first: Promise<ChildProcess>): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = FIRST_PAUSE_MS;
    for (let run = first; ; run = this.#run()) {
      const startedMs = performance.now();
      try {
        const child = await run;
        this.#open();
        const { exitCode, signalCode } = await ended(child);
        this.#isReady = false;
        if (signal.aborted) return;
        log.error({ code: exitCode, signal: signalCode }, "the pages process ended and is restarted");
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error }, "the pages process did not start and is retried");
      }
      if (performance.now() - startedMs > RUNS_MS) pauseMs = FIRST_PAUSE_MS;
      await wait(pauseMs, null, { signal }).catch(() => {});
      if (signal.aborted) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  #open(): void {
    this.#isReady = true;
    for (const release of [...this.#held]) release();
  }

  /** Starts a process and resolves when it is ready. Throws the reason that the process gives. */
  async #run(): Promise<ChildProcess> {
    this.#stopping.signal.throwIfAborted();
    const { file, dataDir: _, holdMs: __, lookMs = LOOK_MS, ...options } = this.#options;
    const { env, settings } = handOver();
    rmSync(this.#socket, { force: true });
    const child = fork(file, [], { env, execArgv: MEMORY, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child = child;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => child.kill("SIGKILL"), READY_WITHIN_MS).unref();
      child.on("message", (message: FromPages) => {
        if ("ready" in message) {
          clearTimeout(late);
          lookAfter(child, lookMs);
          resolve(child);
        } else if ("failed" in message) {
          reject(new Error(message.failed));
          child.kill("SIGKILL");
        }
      });
      child.on("error", reject);
      child.once("exit", (code, signal) => {
        clearTimeout(late);
        reject(new Error(`it ended with ${String(code ?? signal)}`));
      });
      // If the machine is out of file descriptors or processes, the `error` event reports it.
      if (child.pid === undefined) return;
      makeLessUrgent(child.pid);
      notify(child, { start: { ...options, settings, socket: this.#socket } });
    });
  }

  /** Metrics of the process; null while none responds. */
  figures(): Promise<MetricFigures | null> {
    const child = this.#child;
    if (!child?.connected) return Promise.resolve(null);
    const figuresFor = ++this.#requested;
    return new Promise((resolve) => {
      const end = (figures: MetricFigures | null) => {
        clearTimeout(timer);
        child.off("message", hear);
        resolve(figures);
      };
      const hear = (message: FromPages) => {
        if ("figuresFor" in message && message.figuresFor === figuresFor) end(message.figures);
      };
      const timer = setTimeout(() => end(null), FIGURES_WITHIN_MS);
      child.on("message", hear);
      notify(child, { figuresFor });
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child?.pid !== undefined && !hasEnded(child)) {
      if (child.connected) child.disconnect();
      const force = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN_MS);
      await ended(child);
      clearTimeout(force);
    }
    rmSync(this.#socket, { force: true });
  }

  /** Forwards requests, as modified by the service, and their responses. */
  readonly listener: Listener = async (request, response) => {
    if (!this.#isReady) await this.#hold(response);
    if (response.closed) return;
    if (this.#isReady) await forward(request, response, this.#socket);
    else refuse(response, PAGES_STARTING);
  };

  /** Renders a page without a caller. Resolves to null on failure; the next caller's request reports it. */
  readonly render: RenderPage = (path) => (this.#isReady ? renderFrom(this.#socket, path) : Promise.resolve(null));

  /** Resolves when a process is ready, the caller disconnects, or `holdMs` have passed. */
  #hold(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(limit);
        this.#held.delete(end);
        response.off("close", end);
        resolve();
      };
      const limit = setTimeout(end, this.#options.holdMs ?? HOLD_MS);
      this.#held.add(end);
      response.once("close", end);
    });
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function ended(child: ChildProcess): Promise<ChildProcess> {
  return new Promise((resolve) => {
    if (hasEnded(child)) resolve(child);
    else child.once("exit", () => resolve(child));
  });
}

/**
 * Kills a process that stops responding, so that it is restarted. Counts missed checks instead of time,
 * because this process itself may have been suspended.
 */
function lookAfter(child: ChildProcess, lookMs: number): void {
  let unanswered = 0;
  child.on("message", (message: FromPages) => {
    if ("alive" in message) unanswered = 0;
  });
  const timer = setInterval(() => {
    if (unanswered++ < MAX_UNANSWERED) notify(child, { alive: true });
    else {
      log.error({ pid: child.pid }, "the pages process stopped responding and is killed");
      child.kill("SIGKILL");
    }
  }, lookMs).unref();
  child.once("exit", () => clearInterval(timer));
}

/** Best effort: fails if the process has just exited or the system forbids it. */
function makeLessUrgent(pid: number): void {
  try {
    setPriority(pid, Math.min(getPriority() + LESS_URGENT, 19));
  } catch (error) {
    log.warn({ err: error }, "the pages process could not be given a lower priority");
  }
}

/** Ignores send errors: if the child has exited, its exit event reports it. */
const notify = (child: ChildProcess, message: ToPages) => void child.send(message, () => {});

/** In the data folder, private to this user; in the temporary folder if the path is too long for a socket. */
function socketIn(dataDir: string): string {
  const name = `cardlane-pages-${process.pid}-${randomBytes(3).toString("hex")}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  const own = resolve(dataDir, `${name}.sock`);
  return Buffer.byteLength(own) < 100 ? own : join(tmpdir(), `${name}.sock`);
}

/** Headers of one connection only (RFC 9110, 7.6.1), or set by each side itself. */
const CONNECTION_HEADERS = new Set(
  "connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect date".split(" "),
);
const agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });

const withoutConnection = (headers: IncomingMessage["headers"]) =>
  Object.entries(headers).filter(([name, value]) => value !== undefined && !CONNECTION_HEADERS.has(name)) as [
    string,
    string | string[],
  ][];

const AWAY = "The service is briefly unavailable. Send the request again in a moment, with the same idempotency key.";

/** `withOutages` turns the 500 into a 503. */
function refuse(response: ServerResponse, outage: AppError): void {
  noteOutage(response, outage);
  if (response.headersSent) response.destroy();
  else response.writeHead(500).end();
}

function forward(request: IncomingMessage, response: ServerResponse, socketPath: string): Promise<void> {
  return new Promise((resolve) => {
    const headers = Object.fromEntries(withoutConnection(request.headers));
    // Without this header Node sends the body of a GET, HEAD, DELETE or OPTIONS unframed, as if it were the
    // next request.
    const framing =
      hasBody(request) && headers["content-length"] === undefined ? { "transfer-encoding": "chunked" } : {};
    const onward = requestFrom({
      socketPath,
      agent,
      setHost: false,
      method: request.method ?? "GET",
      path: request.url ?? "/",
      // A response may repeat the requested URL with each character escaped as nine.
      maxHeaderSize: 16 * maxHeaderSize,
      headers: { ...headers, ...framing, [PROXIED_HEADER]: hasSeenProxy() ? "1" : "" },
    });
    let received: IncomingMessage | null = null;
    const fail = (cause: unknown) => {
      request.unpipe(onward);
      // A complete response counts, even if the body was not read to its end.
      if (received?.complete || response.closed) return;
      refuse(response, new AppError("database_unavailable", AWAY, { retryAfterSeconds: 1, cause }));
    };
    response.once("close", () => {
      // After an early response, the rest of the body is never read, and the connection would stay open.
      if (!received?.complete || !onward.writableFinished) onward.destroy();
      request.unpipe(onward).resume();
      resolve();
    });
    onward.on("error", fail);
    onward.once("response", (incoming) => {
      received = incoming.once("error", fail);
      // Set individually, because the code that caches and secures pages intercepts `setHeader`.
      for (const [name, value] of withoutConnection(incoming.headers)) response.setHeader(name, value);
      response.writeHead(incoming.statusCode ?? 500);
      incoming.pipe(response);
    });
    if (hasBody(request)) request.pipe(onward);
    else onward.end();
  });
}

function renderFrom(socketPath: string, path: string): Promise<RenderedPage | null> {
  return new Promise((resolve) => {
    const fail = () => resolve(null);
    const headers = { host: new URL(env.baseUrl).host, accept: "text/html" };
    const onward = requestFrom({ socketPath, agent, setHost: false, path, headers });
    onward.once("error", fail).once("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => void chunks.push(chunk)).once("error", fail);
      incoming.once("end", () => {
        const html = Buffer.concat(chunks);
        // A page that fails midway ends without its closing tag.
        const isWhole = incoming.statusCode === 200 && html.subarray(-7).equals(Buffer.from("</html>"));
        resolve(isWhole ? { headers: incoming.headers, html } : null);
      });
    });
    onward.end();
  });
}
