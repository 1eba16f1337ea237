import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { SLOW_RESPONSE_MS } from "@/lib/contract/sandbox-cards";
import { Books } from "./books";
import { challengePage } from "./challenge-page";
import { ENDPOINTS } from "./endpoints";
import { ApiError } from "./errors";
import { type Fault, Faults, type Operation } from "./faults";
import { Parameters, parseForm } from "./form";

export type DoubleOptions = {
  livemode?: boolean;
  accountId?: string;
  /** Min amount of a charge, in minor units. */
  minimumAmount?: number;
  /** The only accepted API key; others get 401. */
  secretKey?: string;
  port?: number;
  /** Min duration of each request. */
  latencyMs?: number;
};

/** The id of the double's account. */
export const ACCOUNT_ID = "acct_double0000000001";
export const TEST_KEY = "sk_test_ofthedouble0000000000";
const MAX_BODY_BYTES = 6_000_000;

type Stored = { fingerprint: string; answer: { status: number; body: string } | null };

export type Double = Awaited<ReturnType<typeof startDouble>>;

/**
 * A faithful double of Stripe's API on loopback: responses have the library's types, and it implements
 * idempotency keys, test cards, challenges and events. Keeps its books in memory. {@link Faults} injects
 * errors.
 */
export async function startDouble(options: DoubleOptions = {}) {
  const { livemode = false, accountId = ACCOUNT_ID, minimumAmount = 50 } = options;
  const { secretKey = TEST_KEY, port = 0, latencyMs = 0 } = options;
  const faults = new Faults();
  const keys = new Map<string, Stored>();
  const requests: { operation: Operation; key: string | null }[] = [];
  let address = "";
  const books = new Books({
    livemode,
    accountId,
    minimumAmount,
    challengeAddress: (intent) => `${address}/challenges/${intent}`,
    now: () => Math.floor(Date.now() / 1_000),
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", address);
    const body = await bodyOf(request);
    if (await challengePage(books, request.method ?? "GET", url, body, response)) return;
    const answer = new Answer(request, response);
    if (request.headers.authorization !== `Bearer ${secretKey}`)
      return answer.error(401, { type: "invalid_request_error", message: "Invalid API Key provided." });
    const endpoint = ENDPOINTS.find(({ method, path }) => method === request.method && path.test(url.pathname));
    if (!endpoint)
      return answer.error(404, {
        type: "invalid_request_error",
        message: `Unrecognized request URL (${url.pathname}).`,
      });
    const key = header(request, "idempotency-key");
    const text = request.method === "GET" ? url.search.slice(1) : body;
    const { operation } = endpoint;
    requests.push({ operation, key });
    const fault = faults.take(operation) ?? faultOfCard(books, operation, text, key, keys);
    if (latencyMs > 0) await wait(latencyMs);
    if (early(fault, answer)) return;
    const execute = () => {
      const id = endpoint.path.exec(url.pathname)?.[1] ?? "";
      return endpoint.prepare(books, new Parameters(parseForm(text)), id);
    };
    if (key === null || request.method === "GET") return withoutKey(execute, fault, answer);
    await underKey({ key, fingerprint: fingerprintOf(request, url, text), execute, fault, answer });
  }

  function withoutKey(execute: () => () => object, fault: Fault | null, answer: Answer): void {
    const failed = { status: 500, body: errorBody({ type: "api_error", message: "An unknown error occurred." }) };
    const isError = fault === "stored 500" || fault === "stored 500 after" || fault === "in use";
    const done = isError ? failed : run(execute);
    if (fault === "late") answer.breakOff();
    else if (!late(fault, answer)) answer.send(done.status, done.body);
  }

  type Keyed = { key: string; fingerprint: string; execute: () => () => object; fault: Fault | null; answer: Answer };
  async function underKey({ key, fingerprint, execute, fault, answer }: Keyed): Promise<void> {
    const known = keys.get(key);
    if (known && known.fingerprint !== fingerprint) {
      const message =
        "Keys for idempotent requests can only be used with the same parameters they were first used with.";
      return answer.error(400, { type: "idempotency_error", message });
    }
    if (known?.answer === null || fault === "in use")
      return answer.error(409, {
        type: "invalid_request_error",
        code: "idempotency_key_in_use",
        message: "There is currently another in-progress request using this idempotency key.",
      });
    if (known?.answer) {
      if (late(fault, answer) || fault === "late") return answer.breakOff();
      return answer.send(known.answer.status, known.answer.body, true);
    }
    const entry: Stored = { fingerprint, answer: null };
    if (fault === "late") {
      faults.later(() => {
        if (keys.has(key)) return;
        const done = run(execute);
        if (done.stored) keys.set(key, { fingerprint, answer: done });
      });
      return answer.breakOff();
    }
    keys.set(key, entry);
    // Lets a concurrent request with the same key find it in progress.
    await wait(1);
    const failed = {
      status: 500,
      body: errorBody({ type: "api_error", message: "An unknown error occurred." }),
      stored: true,
    };
    const done = fault === "stored 500" ? failed : run(execute);
    const kept = fault === "stored 500 after" ? failed : done;
    if (kept.stored) entry.answer = kept;
    else keys.delete(key);
    if (late(fault, answer)) return;
    if (fault === "slow") await wait(SLOW_RESPONSE_MS);
    answer.send(kept.status, kept.body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500, { "Content-Type": "text/plain" });
      response.end(`the double itself is wrong: ${error instanceof Error ? error.stack : String(error)}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint: address,
    secretKey,
    books,
    faults,
    /** All requests, oldest first. */
    requests,
    /** Simulates the expiry of idempotency keys after a day. */
    forgetKeys: () => keys.clear(),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Done = { status: number; body: string; stored: boolean };

function run(execute: () => () => object): Done {
  try {
    return { status: 200, body: JSON.stringify(execute()()), stored: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, body: errorBody(error.error), stored: error.stored };
  }
}

const errorBody = (error: object) => JSON.stringify({ error });

/** Faults before the request is executed or its key looked up. */
function early(fault: Fault | null, answer: Answer): boolean {
  switch (fault) {
    case "429":
      answer.error(429, { type: "invalid_request_error", code: "rate_limit", message: "Too many requests." });
      return true;
    case "403":
      answer.error(403, { type: "invalid_request_error", message: "The key does not have the required permissions." });
      return true;
    case "503":
      answer.error(503, { type: "api_error", message: "The service is unavailable." });
      return true;
    case "lost before":
      answer.breakOff();
      return true;
    case "silence":
      return true;
    default:
      return false;
  }
}

/** Faults of the response after execution. */
function late(fault: Fault | null, answer: Answer): boolean {
  switch (fault) {
    case "lost after":
      answer.breakOff();
      return true;
    case "silence after":
      return true;
    case "garbage":
      answer.raw(200, "<html>garbage</html>");
      return true;
    default:
      return false;
  }
}

/** The fault that some cards cause on their first confirmation or check. */
function faultOfCard(
  books: Books,
  operation: Operation,
  text: string,
  key: string | null,
  keys: ReadonlyMap<string, Stored>,
): Fault | null {
  if ((operation !== "confirm" && operation !== "setup") || key === null) return null;
  switch (books.cards.behaviorOf(new URLSearchParams(text).get("payment_method") ?? "")) {
    case "lost_answer":
      return keys.has(key) ? null : "silence after";
    case "garbage":
      return "silence";
    case "refuse_once":
      return books.refuseOnce(key) ? "429" : null;
    case "slow":
      return keys.has(key) ? null : "slow";
    default:
      return null;
  }
}

const fingerprintOf = (request: IncomingMessage, url: URL, text: string) =>
  createHash("sha256").update(`${request.method} ${url.pathname} ${text}`).digest("hex");

const header = (request: IncomingMessage, name: string) => {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error("a request is too long");
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const type = header(request, "content-type") ?? "";
  return type.startsWith("multipart/form-data") ? fileForm(type, body) : body.toString("utf8");
}

/** An upload's form as text: its file by name, type and digest. */
async function fileForm(type: string, body: Buffer): Promise<string> {
  const text = new URLSearchParams();
  for (const [name, value] of await new Response(new Uint8Array(body), {
    headers: { "Content-Type": type },
  }).formData()) {
    if (typeof value === "string") {
      text.append(name, value);
      continue;
    }
    const sha256 = createHash("sha256")
      .update(Buffer.from(await value.arrayBuffer()))
      .digest("hex");
    const facts = { filename: value.name, type: value.type, size: String(value.size), sha256 };
    for (const [fact, said] of Object.entries(facts)) text.append(`${name}[${fact}]`, said);
  }
  return text.toString();
}

class Answer {
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {}

  send(status: number, body: string, isReplay = false): void {
    const key = header(this.request, "idempotency-key");
    this.response.writeHead(status, {
      "Content-Type": "application/json",
      "Request-Id": `req_${randomBytes(7).toString("hex")}`,
      ...(key && { "Idempotency-Key": key }),
      ...(isReplay && { "Idempotent-Replayed": "true" }),
    });
    this.response.end(body);
  }

  error(status: number, error: object): void {
    this.send(status, errorBody(error));
  }

  raw(status: number, text: string): void {
    this.response.writeHead(status, { "Content-Type": "text/html" });
    this.response.end(text);
  }

  breakOff(): void {
    this.response.socket?.resetAndDestroy();
  }
}
