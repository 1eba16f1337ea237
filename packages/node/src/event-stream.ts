import { type CardlaneError, errorOf } from "./errors.ts";
import { isTooLong, limits, lost, pause, retryAfterMs } from "./retries.ts";

export type StreamOptions = {
  /** The id of the last event you have: the stream goes on behind it. Left out, it begins now. */
  lastEventId?: string;
  /** Ends the stream when it is aborted. */
  signal?: AbortSignal;
};

/** Makes the request, and throws for one that can never be sent; what comes back sends it. */
type Prepare = (lastEventId: string | null) => (signal: AbortSignal) => Promise<Response>;

/** The service says something at least every 15 seconds; a connection that is silent for longer is dead. */
const SILENT_AFTER_MS = 45_000;

/**
 * Events one after another, until you leave the loop or abort. A lost connection is opened again behind the last event. What
 * won't change, such as a wrong key, is thrown, and so are a refusal that asks for a long pause and the last failure when not even
 * the first connection comes about.
 */
export async function* readEvents<T>(
  prepare: Prepare,
  maxRetries: number,
  options: StreamOptions,
): AsyncGenerator<T, void, undefined> {
  let lastEventId = options.lastEventId ?? null;
  let wasOpen = false;
  for (let failures = 0; !options.signal?.aborted; failures++) {
    const connect = prepare(lastEventId);
    const connection = limits(SILENT_AFTER_MS, options.signal);
    let askedMs: number | null = null;
    let failure: CardlaneError | null = null;
    try {
      const response = await connect(connection.signal);
      if (!response.ok) {
        failure = await passingRefusal(response);
        askedMs = retryAfterMs(response.headers);
      } else if (!response.body) failure = lost(new Error("the answer is empty"), null);
      else {
        wasOpen = true;
        for await (const { id, data } of frames(response.body, connection.restart)) {
          if (data !== "") {
            failures = 0;
            yield JSON.parse(data) as T;
          }
          // Only now: whoever stops inside the loop has not dealt with it. An id alone is where the stream began.
          lastEventId = id || lastEventId;
        }
      }
    } catch (error) {
      if (options.signal?.aborted) return;
      if (!isLostConnection(error)) throw error;
      failure = lost(error, null);
    } finally {
      connection.end();
    }
    if (options.signal?.aborted) return;
    if (failure && (isTooLong(askedMs) || (!wasOpen && failures >= maxRetries))) throw failure;
    await pause(Math.min(failures, 5), askedMs, options.signal).catch((error: unknown) => {
      if (!options.signal?.aborted) throw error;
    });
  }
}

/** A refusal that may pass; throws one that no try will change. */
async function passingRefusal(response: Response): Promise<CardlaneError> {
  const { status, headers } = response;
  const raw = parsed(await response.text());
  const error = errorOf({ status, requestId: headers.get("x-request-id"), raw, idempotencyKey: null });
  if (status === 429 || status >= 500) return error;
  throw error;
}

/** The body of an answer: JSON, or the text it came as. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A gateway's page; its status still says what happened.
    return text;
  }
}

/** What fetch throws while it connects or reads. */
const isLostConnection = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === "AbortError" || error.name === "TimeoutError" || error instanceof TypeError);

type Frame = { id: string; data: string };

/** The frames of server-sent events that have data or an id. */
async function* frames(body: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<Frame, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  let frame: Frame = { id: "", data: "" };
  for await (const bytes of body) {
    onBytes();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (frame.data !== "" || frame.id !== "") yield frame;
        frame = { id: "", data: "" };
      } else if (line.startsWith("id:")) frame.id = line.slice(3).trim();
      else if (line.startsWith("data:")) frame.data += line.slice(5).trim();
    }
  }
}
