import { type CardlaneError, errorOf } from "./errors.ts";
import { isTooLong, limits, lost, pause, retryAfterMs } from "./retries.ts";

export type StreamOptions = {
  /** Id of the last event that you have; the stream continues after it. By default it starts now. */
  lastEventId?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
};

/** Prepares a request and throws if it is invalid; the returned function sends it. */
type Prepare = (lastEventId: string | null) => (signal: AbortSignal) => Promise<Response>;

/** The service sends something at least every 15 seconds; a connection that is silent for longer is dead. */
const SILENT_AFTER_MS = 45_000;

/**
 * Yields events until you leave the loop or abort. Reconnects after the last event. Throws permanent errors
 * such as a wrong key, a refusal with a long Retry-After, and the last error if no connection was ever
 * opened.
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
    let requestedMs: number | null = null;
    let failure: CardlaneError | null = null;
    try {
      const response = await connect(connection.signal);
      if (!response.ok) {
        failure = await passingRefusal(response);
        requestedMs = retryAfterMs(response.headers);
      } else if (!response.body) failure = lost(new Error("the answer is empty"), null);
      else {
        wasOpen = true;
        for await (const { id, data } of frames(response.body, connection.restart)) {
          if (data !== "") {
            failures = 0;
            yield JSON.parse(data) as T;
          }
          // Set only now: a caller that leaves the loop has not handled the event. An id without data is the
          // starting point.
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
    if (failure && (isTooLong(requestedMs) || (!wasOpen && failures >= maxRetries))) throw failure;
    await pause(Math.min(failures, 5), requestedMs, options.signal).catch((error: unknown) => {
      if (!options.signal?.aborted) throw error;
    });
  }
}

/** A refusal that may pass. Throws permanent ones. */
async function passingRefusal(response: Response): Promise<CardlaneError> {
  const { status, headers } = response;
  const raw = parsed(await response.text());
  const error = errorOf({ status, requestId: headers.get("x-request-id"), raw, idempotencyKey: null });
  if (status === 429 || status >= 500) return error;
  throw error;
}

/** The body of a response: JSON, or else its text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A gateway's page: its status has the meaning.
    return text;
  }
}

/** Errors that fetch throws while connecting or reading. */
const isLostConnection = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === "AbortError" || error.name === "TimeoutError" || error instanceof TypeError);

type Frame = { id: string; data: string };

/** Server-sent events that have data or an id. */
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
