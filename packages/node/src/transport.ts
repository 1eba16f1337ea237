import { randomUUID } from "node:crypto";
import { errorOf, InvalidRequestError } from "./errors.ts";
import { parsed, readEvents, type StreamOptions } from "./event-stream.ts";
import { aborted, isUnknownAfter, limits, lost, mayRetry, pause, retryAfterMs, unknownOutcome } from "./retries.ts";
import { checkedApiKey, checkedBaseUrl } from "./settings.ts";

export type ClientOptions = {
  /** `sk_test_…` or `sk_live_…`. Keep it on your server. */
  apiKey: string;
  /** The service's address. Default: `http://localhost:3000`, the address of `npm start`. */
  baseUrl?: string;
  /** Time limit of one attempt. Default: 30 seconds. */
  timeoutMs?: number;
  /** Max retries of a call, if they are safe. Default: 3. */
  maxRetries?: number;
  /** Replaces Node's own. */
  fetch?: typeof fetch;
};

export type RequestOptions = {
  /**
   * Your own key, such as an order number: 1 to 255 visible ASCII characters, with spaces only between them.
   * By default each call gets a new one and keeps it across its retries.
   */
  idempotencyKey?: string;
  /** Ends the call with an `AbortError`. The outcome of a request that was sent is then unknown. */
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
};

/** Details of a response. */
export type ResponseInfo = {
  /** 202: the outcome isn't known yet. Repeat the call with the same key, or get the object, until it is. */
  status: number;
  /** Mention it to support. */
  requestId: string | null;
  /** True for the stored response of an earlier request with the same key. */
  replayed: boolean;
  /** The idempotency key that was sent; null for calls without one. */
  idempotencyKey: string | null;
  headers: Headers;
};

type Completed<T> = { data: T; response: ResponseInfo };

/** A pending result: `await` gives the object, `withResponse()` also the response's details. */
export class Result<T> extends Promise<T> {
  readonly #answer: Promise<Completed<T>>;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: Promise<Completed<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  /** The object, and the status, request id and headers of its response. */
  withResponse(): Promise<Completed<T>> {
    // The caller handles the failure of the returned promise instead.
    this.catch(() => {});
    return this.#answer;
  }
}

type ListPage<Item> = { data: Item[]; has_more: boolean };

/** `await` gives one page; `for await` iterates over the items of this page and of all following ones. */
export class PageResult<Page extends ListPage<Item>, Item> extends Result<Page> implements AsyncIterable<Item> {
  readonly #next: (page: Page) => PageResult<Page, Item>;

  constructor(answer: Promise<Completed<Page>>, next: (page: Page) => PageResult<Page, Item>) {
    super(answer);
    this.#next = next;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page: Page = await this;
    for (;;) {
      yield* page.data;
      if (!page.has_more || page.data.length === 0) return;
      page = await this.#next(page);
    }
  }
}

/** A file with its name, as people know it. */
export type FileToUpload = { name: string; data: Blob | Uint8Array<ArrayBuffer> };

type Call = {
  method: string;
  path: string;
  query?: object;
  body?: object;
  /** Sent as a form instead of a body. */
  file?: FileToUpload;
  /** Takes an idempotency key. */
  takesKey?: true;
  /** Changes nothing, whatever the method. */
  isRead?: true;
  /** Pages by the last item's id. */
  byCursor?: true;
};

function formOf({ name, data }: FileToUpload): FormData {
  const form = new FormData();
  form.set("file", data instanceof Blob ? data : new Blob([data]), name);
  return form;
}

/** Sends calls, with key, retries, time-outs and errors. */
export class Transport {
  // A private field, so that no log or inspection of the client shows it.
  readonly #apiKey: string;
  readonly #fetch: typeof fetch;
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;

  constructor({
    apiKey,
    baseUrl = "http://localhost:3000",
    timeoutMs = 30_000,
    maxRetries = 3,
    ...rest
  }: ClientOptions) {
    this.#apiKey = checkedApiKey(apiKey);
    this.#baseUrl = checkedBaseUrl(baseUrl);
    this.#timeoutMs = checkedTimeout(timeoutMs);
    this.#maxRetries = checkedRetries(maxRetries);
    this.#fetch = rest.fetch ?? ((...request) => fetch(...request));
  }

  /** Sends a call until it has a result, or retrying is pointless. */
  async request<T>(call: Call, options: RequestOptions = {}): Promise<Completed<T>> {
    const idempotencyKey = call.takesKey ? checkedKey(options.idempotencyKey ?? randomUUID()) : null;
    const isRead = call.method === "GET" || call.isRead === true;
    const isSafe = isRead || idempotencyKey !== null;
    const retries = checkedRetries(options.maxRetries ?? this.#maxRetries);
    const timeoutMs = checkedTimeout(options.timeoutMs ?? this.#timeoutMs);
    const headers = this.#headers(call, idempotencyKey);
    const url = this.#baseUrl + call.path + queryString(call.query);
    const body = call.file ? formOf(call.file) : call.body === undefined ? null : JSON.stringify(call.body);
    // Covers all attempts: one without a response may have done the work, whatever the next one reports.
    let isUnknown = false;
    const advice = () => (isUnknown && !isRead ? unknownOutcome(idempotencyKey) : "");
    const throwIfAborted = () => {
      if (options.signal?.aborted) throw aborted(options.signal.reason, idempotencyKey, advice());
    };
    const pauseAfter = (attempt: number, requestedMs: number | null) =>
      pause(attempt, requestedMs, options.signal).catch((error: unknown) => {
        throwIfAborted();
        throw error;
      });
    for (let attempt = 0; ; attempt++) {
      throwIfAborted();
      const { signal, end } = limits(timeoutMs, options.signal);
      const init = { method: call.method, headers, body, redirect: "manual" as const, signal };
      const received = await this.#attempt(url, init)
        .catch((error: unknown) => error as Error)
        .finally(end);
      if (received instanceof Error || options.signal?.aborted) isUnknown = true;
      throwIfAborted();
      if (received instanceof Error) {
        if (!isSafe || attempt >= retries) throw lost(received, idempotencyKey, advice());
        await pauseAfter(attempt, null);
        continue;
      }
      const { status, raw } = received;
      const requestId = received.headers.get("x-request-id");
      if (status >= 200 && status < 300) {
        const replayed = received.headers.get("idempotent-replayed") === "true";
        return { data: raw as T, response: { status, requestId, replayed, idempotencyKey, headers: received.headers } };
      }
      const refused = { status, requestId, raw, idempotencyKey };
      const { code } = errorOf(refused);
      isUnknown = isUnknownAfter({ status, code }, isUnknown);
      if (attempt >= retries || !mayRetry({ status, code, headers: received.headers }, isSafe)) {
        throw errorOf(refused, advice() + this.#notOurs(refused));
      }
      await pauseAfter(attempt, retryAfterMs(received.headers));
    }
  }

  /** One attempt including the body: a connection that breaks within the body counts as lost. */
  async #attempt(url: string, init: RequestInit): Promise<{ status: number; headers: Headers; raw: unknown }> {
    const response = await this.#fetch(url, init);
    const text = await response.text();
    const raw = parsed(text);
    // A truncated response or a proxy's page says nothing about the outcome.
    if (response.ok && (typeof raw !== "object" || raw === null)) throw new Error("The answer is not JSON.");
    return { status: response.status, headers: response.headers, raw };
  }

  /** A hint for a page or a proxy's text instead of an API error: the address may be wrong. */
  #notOurs({ status, raw }: { status: number; raw: unknown }): string {
    if (status >= 500 || status === 429 || typeof raw === "object") return "";
    return ` It isn't an answer of the Cardlane API. Check baseUrl: ${this.#baseUrl}`;
  }

  #headers(call: Call, idempotencyKey: string | null): Headers {
    const headers = new Headers({ Accept: "application/json", "X-Api-Key": this.#apiKey });
    if (call.body !== undefined) headers.set("Content-Type", "application/json");
    if (idempotencyKey !== null) headers.set("X-Idempotency-Key", idempotencyKey);
    return headers;
  }

  /** Opens a stream of events that reconnects by itself. */
  stream<T>(path: string, options: StreamOptions = {}): AsyncIterableIterator<T> {
    const prepare = (lastEventId: string | null) => {
      const url = new URL(this.#baseUrl + path).href;
      const headers = new Headers({ Accept: "text/event-stream", "X-Api-Key": this.#apiKey });
      if (lastEventId !== null) headers.set("Last-Event-ID", checkedEventId(lastEventId));
      return (signal: AbortSignal) => this.#fetch(url, { headers, signal, redirect: "manual" });
    };
    return readEvents<T>(prepare, this.#maxRetries, options);
  }
}

/** Base class of the API's resources. */
export abstract class Resource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected send<T>(call: Call, options?: RequestOptions): Result<T> {
    return new Result(this.#transport.request<T>(call, options));
  }

  protected page<Page extends ListPage<Item>, Item>(call: Call, options?: RequestOptions): PageResult<Page, Item> {
    return new PageResult(this.#transport.request<Page>(call, options), (page) =>
      this.page<Page, Item>(following(call, page), options),
    );
  }

  protected open<T>(path: string, options?: StreamOptions): AsyncIterableIterator<T> {
    return this.#transport.stream<T>(path, options);
  }
}

/** The call for the next page. */
function following(call: Call, { data, ...page }: { data: unknown[]; offset?: number }): Call {
  if (call.byCursor) {
    const { offset: _, ...query } = (call.query ?? {}) as { offset?: number };
    return { ...call, query: { ...query, starting_after: (data.at(-1) as { id: string }).id } };
  }
  const offset = (page.offset ?? 0) + data.length;
  return call.body ? { ...call, body: { ...call.body, offset } } : { ...call, query: { ...call.query, offset } };
}

/**
 * Headers lose spaces at their ends and other alphabets, so such a key would arrive altered or not at all.
 */
function checkedKey(key: string): string {
  if (typeof key === "string" && key.length <= 255 && /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(key)) return key;
  throw new InvalidRequestError(
    "Pass an idempotencyKey of 1 to 255 visible ASCII characters, with spaces only between them. Nothing was sent.",
  );
}

/** Max delay of Node's timers, which treat anything longer or not a number as 1 ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function checkedTimeout(ms: number): number {
  if (ms > 0 && ms <= MAX_TIMEOUT_MS) return ms;
  throw new TypeError(`Pass a timeoutMs above 0 and up to ${MAX_TIMEOUT_MS}. Nothing was sent.`);
}

function checkedRetries(retries: number): number {
  if (retries >= 0) return retries;
  throw new TypeError("Pass 0 or more as maxRetries. Nothing was sent.");
}

function checkedEventId(id: string): string {
  if (typeof id === "string" && /^[\x21-\x7e]*$/.test(id)) return id;
  throw new InvalidRequestError("Pass the id of an event as lastEventId, such as evt_….");
}

function queryString(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length > 0 ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}
