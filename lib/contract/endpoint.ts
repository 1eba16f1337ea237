import type { z } from "zod";
import type { ErrorCode } from "./errors";
import type { Permission, UserPermission } from "./permissions";

/** Types of endpoints: the API's, which keys may call, and the dashboard's own. */

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Single definition of an endpoint. Route, OpenAPI document, the browser's typed call, form validation and
 * tests all derive from it.
 */
export type Endpoint = {
  /** Unique name, in camel case; the OpenAPI operationId. */
  readonly name: string;
  readonly method: Method;
  /** With `{id}` in place of the id: `/v1/payments/{id}/refund`. */
  readonly path: string;
  readonly tag:
    | "Payments"
    | "Transactions"
    | "Customers"
    | "Payment methods"
    | "Subscription plans"
    | "Subscriptions"
    | "Invoices"
    | "Disputes"
    | "Portal sessions"
    | "Client sessions"
    | "Events"
    | "Webhooks"
    | "Balance"
    | "Reports"
    | "Test clock"
    | "Service";
  readonly summary: string;
  readonly description: string;
  /** The caller needs any one of these; empty = open to everyone, without a key. */
  readonly permissions: readonly Permission[];
  /** `required`: one of the seven money operations. `optional`: honored when the header is sent. */
  readonly idempotency: "required" | "optional" | "none";
  /** A `required` key may be absent: the object's state lets the operation run only once. */
  readonly keyMayBeAbsent?: true;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** True if the body may be absent. */
  readonly bodyOptional?: boolean;
  /** The body is a form with one file, `multipart/form-data`. */
  readonly takesFile?: true;
  /** Max body in bytes, if larger than the default. */
  readonly maxBodyBytes?: number;
  readonly status: 200 | 201 | 202;
  readonly response: z.ZodType;
  /** Streams `response` objects as server-sent events. */
  readonly streams?: true;
  /** Moves money: the concurrency per payment is limited. */
  readonly movesMoney?: true;
  /** A POST that changes nothing: a search, whose filters are its body. */
  readonly reads?: true;
  /** Returns a page of rows. */
  readonly list?: true;
  /** Examines many rows, or its response may be long, as every list's may: few of these run concurrently. */
  readonly long?: true;
  /** Codes beyond those of every endpoint (401, 403, 429, 5xx). */
  readonly errors: readonly ErrorCode[];
};

/** True if an endpoint changes anything. */
export const writes = ({ method, reads }: Pick<Endpoint, "method" | "reads">): boolean => method !== "GET" && !reads;

export function endpoint<const O extends Endpoint>(definition: O): O {
  return definition;
}

/** Status of a money request with an unknown outcome. */
export const PENDING_STATUS = 202;

export type BodyOf<O extends Endpoint> = O["body"] extends z.ZodType ? z.infer<O["body"]> : undefined;
export type QueryOf<O extends Endpoint> = O["query"] extends z.ZodType ? z.infer<O["query"]> : undefined;
export type ResponseOf<O extends Endpoint> = z.infer<O["response"]>;

/** Names of the endpoints among a module's exports. */
export type EndpointNameIn<Module> = {
  [K in keyof Module]: Module[K] extends Endpoint ? K : never;
}[keyof Module];

export type Example<O extends Endpoint = Endpoint> = {
  /** Path parameter. */
  id?: string;
  query?: Record<string, string>;
  body?: O["body"] extends z.ZodType ? z.input<O["body"]> : never;
  /** Successful responses, the usual one first, each with a short title. */
  responses: Record<string, ResponseOf<O>>;
  /** The 202 response of a money operation with an unknown outcome. */
  pending?: ResponseOf<O>;
};

/** An example of every endpoint that a module exports. */
export type ExamplesOf<Module> = {
  readonly [K in EndpointNameIn<Module>]: Module[K] extends Endpoint ? Example<Module[K]> : never;
};

export const IDEMPOTENCY_ERRORS = [
  "idempotency_key_reused",
  "idempotency_request_in_progress",
] as const satisfies readonly ErrorCode[];
export const MONEY_ERRORS = [
  "malformed_json",
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "idempotency_key_missing",
  "idempotency_key_invalid",
  ...IDEMPOTENCY_ERRORS,
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly ErrorCode[];
export const BODY_ERRORS = [
  "malformed_json",
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly ErrorCode[];
export const QUERY_ERRORS = ["invalid_parameter", "unknown_parameter"] as const satisfies readonly ErrorCode[];

type Gate = "always" | "live";

/**
 * A dashboard endpoint for users in a browser, such as key management, which no API key may call. Like API
 * endpoints it is defined once for the route, form validation and the browser's call.
 */
export type DashboardEndpoint = {
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `{mode}` in place of the environment's mode, and `{id}` and the like for ids. */
  readonly path: string;
  /** Permission that the user's role needs; null = every signed-in user. */
  readonly permission: UserPermission | null;
  /** Requires re-authentication within the last minutes: always, or in live mode. */
  readonly reauthentication?: Gate;
  /**
   * Hashes a password or holds a database connection for long, so each user may do it only a few times a
   * minute.
   */
  readonly costly?: true;
  /** Requires a verified e-mail address: always, or in live mode. */
  readonly verified?: Gate;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Max body in bytes, if larger than the default. */
  readonly maxBodyBytes?: number;
  readonly status: 200 | 201;
  readonly response: z.ZodType;
};

export function dashboardEndpoint<const O extends DashboardEndpoint>(definition: O): O {
  return definition;
}

/** Names and values of a path's braces. */
export type ParamsOf<Path extends string> = string extends Path
  ? Record<string, string>
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? { readonly [K in Name]: string } & ParamsOf<Rest>
    : unknown;
