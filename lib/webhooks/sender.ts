import { type IncomingMessage, request as sendRequest } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { abortAfter } from "@/lib/clock";
import { keepableText } from "@/lib/contract/card-numbers";
import { scrub } from "@/lib/log";
import { type SsrfGuard, SsrfGuardError, type Target } from "./ssrf-guard";

type Message = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The result of a delivery attempt: the response, or the reason why there is none. */
export type Sent =
  | { readonly kind: "responded"; readonly status: number; readonly retryAfter: string | null; readonly body: string }
  | { readonly kind: "failed"; readonly error: string };

export type WebhookSender = {
  /**
   * The reason why messages may not be sent to this URL, worded for the user who entered it; null when they
   * may.
   */
  findRefusal(url: string): Promise<string | null>;
  /** Sends a message and reads the response, within 15 s in total. Never throws; `stopping` aborts it. */
  send(message: Message, stopping: AbortSignal): Promise<Sent>;
};

const LIMIT_MS = 15_000;
/** Time to read the body; the status, received before it, already decides the result. */
const BODY_MS = 3_000;
/** The part of the body that is kept for diagnosis, as long as events are shown. */
const MAX_BODY_BYTES = 4 * 1024;
/** Per address, because one of several may be dead. */
const CONNECT_MS = 5_000;

/** Opens a connection to an address, never to a name. Injected, so that tests can record the addresses. */
export type Dial = (target: Target, address: string) => Socket;

const dial: Dial = ({ url, port }, address) => {
  if (url.protocol === "http:") return connectPlain({ host: address, port });
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  return connectTls({
    host: address,
    port,
    ALPNProtocols: ["http/1.1"],
    // An IP address has no server name; the certificate must then be for the address.
    ...(isIP(hostname) === 0 && { servername: hostname.replace(/\.$/, "") }),
  });
};

export function createSender(guard: SsrfGuard, connect: Dial = dial, limitMs = LIMIT_MS): WebhookSender {
  return {
    async findRefusal(url) {
      try {
        await guard.check(url);
        return null;
      } catch (error) {
        // A name that does not resolve now may resolve later; each delivery checks it again.
        if (error instanceof SsrfGuardError) return error.kind === "refused" ? error.message : null;
        if (isLookupFailure(error)) return null;
        throw error;
      }
    },
    async send(message, stopping) {
      const { signal, release } = abortAfter(limitMs, stopping);
      let socket: Socket | undefined;
      try {
        const target = await withSignal(guard.check(message.url), signal);
        socket = await connectToFirst(guard, connect, target, signal);
        return await exchange(socket, target, message, signal);
      } catch (error) {
        if (stopping.aborted) return { kind: "failed", error: "This process was stopped while it was sending." };
        if (signal.aborted) return { kind: "failed", error: `No answer within ${limitMs / 1_000} s.` };
        return { kind: "failed", error: keepableText(scrub(formatReason(error)), 300) };
      } finally {
        release();
        socket?.destroy();
      }
    },
  };
}

const isLookupFailure = (error: unknown) =>
  error instanceof Error && "syscall" in error && error.syscall === "getaddrinfo";

function formatReason(error: unknown): string {
  if (error instanceof SsrfGuardError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${error.message} (${code})` : error.message;
}

function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

async function connectToFirst(guard: SsrfGuard, connect: Dial, target: Target, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const address of target.addresses) {
    signal.throwIfAborted();
    try {
      return await connectTo(guard, connect, target, address, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function connectTo(guard: SsrfGuard, connect: Dial, target: Target, address: string, signal: AbortSignal) {
  // Defense in depth: check every address again right before dialing it.
  const refusal = guard.findRefusal(address);
  if (refusal !== null) throw new SsrfGuardError("refused", refusal);
  const socket = connect(target, address);
  const limit = abortAfter(CONNECT_MS, signal);
  try {
    const connected = new Promise<void>((resolve, reject) => {
      socket.once(target.url.protocol === "https:" ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
    });
    await withSignal(connected, limit.signal).catch((error: unknown) => {
      throw limit.signal.aborted && !signal.aborted ? new Error(`No connection to ${address} within 5 s.`) : error;
    });
    // Check the address that the socket is really connected to, before sending anything.
    const reachedRefusal = guard.findRefusal(socket.remoteAddress ?? "nothing");
    if (reachedRefusal !== null) throw new SsrfGuardError("refused", reachedRefusal);
    return socket;
  } catch (error) {
    socket.on("error", () => {});
    socket.destroy();
    throw error;
  } finally {
    limit.release();
  }
}

/** Sends the message over the connected socket. Redirects are not followed. */
async function exchange(socket: Socket, { url }: Target, message: Message, signal: AbortSignal): Promise<Sent> {
  const body = Buffer.from(message.body);
  const response = await withSignal(
    new Promise<IncomingMessage>((resolve, reject) => {
      const request = sendRequest({
        // No agent: it would open its own connection, to whatever address the name resolves to now.
        createConnection: () => socket,
        method: "POST",
        host: url.hostname,
        path: `${url.pathname}${url.search}`,
        maxHeaderSize: 16 * 1024,
        headers: { ...message.headers, host: url.host, "content-length": body.byteLength, connection: "close" },
      });
      request.on("error", reject);
      request.on("response", resolve);
      request.end(body);
    }),
    signal,
  );
  const { statusCode: status = 0, headers } = response;
  const limit = abortAfter(BODY_MS, signal);
  const text = await readBody(response, limit.signal).finally(limit.release);
  return { kind: "responded", status, retryAfter: headers["retry-after"] ?? null, body: text };
}

/**
 * The first 4 kB of the body that arrive in time. A body that breaks off is no error: the status has been
 * received.
 */
async function readBody(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const done = new Promise<void>((resolve) => {
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= MAX_BODY_BYTES) resolve();
    });
    response.on("end", resolve);
    response.on("error", () => resolve());
    response.on("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await done;
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES));
  return keepableText(text, MAX_BODY_BYTES);
}
