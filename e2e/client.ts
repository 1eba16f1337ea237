import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "playwright/test";
import type { z } from "zod";
import type { Endpoint, ResponseOf } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ERRORS, type ErrorCode, type Problem, problem } from "@/lib/contract/errors";

/** A response that conforms to the contract. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly replayed: boolean;
  /** Returns the problem, and fails unless it has this code. */
  problem(code: ErrorCode): Problem;
};

export type OperationAnswer<O extends Endpoint> = Answer & {
  /** Returns the object, and fails unless the response has the endpoint's own status or the given one. */
  ok(status?: number): ResponseOf<O>;
};

export type CallOptions = {
  /** Replaces `{id}` in the path. */
  id?: string;
  query?: Record<string, unknown> | string;
  body?: unknown;
  /** X-Idempotency-Key; by default a new one if the endpoint requires it. Null sends none. */
  key?: string | null;
  headers?: Record<string, string>;
};

export type RawRequest = {
  method: string;
  /** Sent unchanged, without encoding. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer | (string | Buffer)[];
};

/** Endpoints that an integrator retries until the outcome is known, if the processor decides later. */
const DECIDED_LATER = /^(?:capture|void|refund)/;
const PAUSE_MS = 50;

/**
 * An API client with one key. Checks every response against the contract, in addition to the test's own
 * checks. `untilDecided`: retries a capture, void or refund with its key while the response is 202, like an
 * integrator.
 */
export class Api {
  constructor(
    readonly baseUrl: string,
    readonly apiKey: string | null,
    readonly untilDecided = false,
  ) {}

  async call<O extends Endpoint>(endpoint: O, options: CallOptions = {}): Promise<OperationAnswer<O>> {
    const key = options.key === undefined && endpoint.idempotency === "required" ? randomUUID() : options.key;
    const first = await this.#send(endpoint, { ...options, key });
    let answer = first;
    while (this.untilDecided && answer.status === 202 && DECIDED_LATER.test(endpoint.name)) {
      await wait(PAUSE_MS);
      answer = await this.#send(endpoint, { ...options, key }, true);
    }
    // Tests check if the first request was itself a replay.
    return { ...answer, replayed: first.replayed };
  }

  async #send<O extends Endpoint>(endpoint: O, options: CallOptions, again = false): Promise<OperationAnswer<O>> {
    const path = endpoint.path.replace("{id}", () => encodeURIComponent(options.id ?? ""));
    const { key } = options;
    const isForm = options.body instanceof FormData;
    const response = await fetch(this.baseUrl + path + queryString(options.query), {
      method: endpoint.method,
      headers: {
        ...(this.apiKey !== null && { "X-Api-Key": this.apiKey }),
        ...(typeof key === "string" && { "X-Idempotency-Key": key }),
        ...(options.body !== undefined && !isForm && { "Content-Type": "application/json" }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: isForm ? (options.body as FormData) : JSON.stringify(options.body) }),
    });
    const text = endpoint.streams && response.ok ? await beginningOf(response) : await response.text();
    const answer = checked(response.status, response.headers, text, path, endpoint, again);
    return {
      ...answer,
      ok(status = endpoint.status) {
        expect(answer.status, answer.text).toBe(status);
        return JSON.parse(answer.text) as ResponseOf<O>;
      },
    };
  }

  /**
   * Sends exactly these bytes, for requests that no client library would send. Uses chunked encoding if the
   * body is an array.
   */
  raw({ method, path, headers = {}, body }: RawRequest): Promise<Answer> {
    const url = new URL(this.baseUrl);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: url.hostname,
          port: url.port,
          method,
          path,
          headers: { ...(this.apiKey !== null && { "X-Api-Key": this.apiKey }), ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            const received = new Headers();
            for (const [name, value] of Object.entries(response.headers)) received.set(name, String(value));
            try {
              resolve(
                checked(
                  response.statusCode ?? 0,
                  received,
                  text,
                  path.split("?")[0] as string,
                  operationOf(method, path),
                ),
              );
            } catch (error) {
              reject(error as Error);
            }
          });
        },
      );
      sent.on("error", reject);
      if (Array.isArray(body)) for (const chunk of body) sent.write(chunk);
      else if (body !== undefined) {
        sent.setHeader("Content-Length", Buffer.byteLength(body));
        // Sent as bytes: for a string body, Node would also send the headers in its encoding.
        sent.write(Buffer.from(body));
      }
      sent.end();
    });
  }
}

function queryString(query: CallOptions["query"]): string {
  if (query === undefined) return "";
  if (typeof query === "string") return `?${query}`;
  return `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()}`;
}

function operationOf(method: string, path: string): Endpoint | null {
  const [pathname] = path.split("?");
  const fits = (endpoint: Endpoint) =>
    new RegExp(`^${endpoint.path.replaceAll(".", "\\.").replace("{id}", "[^/]+")}$`).test(pathname as string);
  return ENDPOINTS.find((endpoint) => endpoint.method === method && fits(endpoint)) ?? null;
}

/** The first chunk of a streamed response, which continues for as long as it is read. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []).toString("utf8");
}

/** Checks the rules for all responses. `again`: a retry, so a problem has the first request's id. */
function checked(
  status: number,
  headers: Headers,
  text: string,
  path: string,
  endpoint: Endpoint | null,
  again = false,
): Answer {
  const context = `${endpoint?.method ?? ""} ${path} answered ${status}: ${text.slice(0, 2_000)}`;
  expect(status, context).toBeLessThan(500);
  expect(headers.get("x-request-id"), context).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  expect(headers.get("cache-control"), context).toBe("no-store");
  const replayed = headers.get("idempotent-replayed") === "true";
  const isStream = endpoint?.streams === true && status < 300;
  const body: unknown = isStream ? null : JSON.parse(text);
  if (isStream) {
    expect(headers.get("content-type"), context).toBe("text/event-stream");
  } else if (status < 300) {
    expect(headers.get("content-type"), context).toMatch(/^application\/json(; ?charset=utf-8)?$/i);
    if (endpoint) expectExactly(endpoint.response, body, context);
  } else {
    expectProblem(body, { status, headers, path, replayed: replayed || again, context });
  }
  return {
    status,
    headers,
    text,
    replayed,
    problem(code) {
      expect((body as Problem).code, context).toBe(code);
      return body as Problem;
    },
  };
}

function expectProblem(
  body: unknown,
  answer: { status: number; headers: Headers; path: string; replayed: boolean; context: string },
): void {
  const { headers, context } = answer;
  expect(headers.get("content-type"), context).toMatch(/^application\/problem\+json(; ?charset=utf-8)?$/i);
  const refusal = expectExactly(problem, body, context);
  expect(refusal.status, context).toBe(answer.status);
  expect(refusal, context).toMatchObject(pick(ERRORS[refusal.code]));
  expect(refusal.type, context).toMatch(new RegExp(`^https?://.*/${refusal.code}$`));
  expect(refusal.instance, context).toBe(answer.path);
  expect(refusal.detail.length, context).toBeGreaterThan(10);
  if (!answer.replayed) expect(refusal.request_id, context).toBe(headers.get("x-request-id"));
  if (refusal.errors.length > 0) expect(refusal.param ?? "", context).toBe(refusal.errors[0]?.param);
}

const pick = ({ status, title }: { status: number; title: string }) => ({ status, title });

/** Fails unless the value fits the schema, has every member that the schema names, and no others. */
function expectExactly<T extends z.ZodType>(schema: T, value: unknown, context: string): z.infer<T> {
  const parsed = schema.safeParse(value);
  expect(parsed.error?.message, context).toBeUndefined();
  expect(parsed.data as unknown, context).toStrictEqual(value);
  return parsed.data as z.infer<T>;
}
