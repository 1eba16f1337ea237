import type { z } from "zod";
import type { ErrorCode } from "./errors";
import type { Permission } from "./permissions";

export type Method = "GET" | "POST" | "PATCH";

/**
 * One endpoint, defined once: the route, the OpenAPI document, the browser's typed call, the form's validation and the
 * tests are all made from it.
 */
export type Operation = {
  /** Unique name, in camel case; the OpenAPI operationId. */
  readonly name: string;
  readonly method: Method;
  /** With `{id}` where the id stands: `/v1/payments/{id}/refund`. */
  readonly path: string;
  readonly tag: "Payments" | "Transactions" | "Subscription plans" | "Client sessions" | "Service";
  readonly summary: string;
  readonly description: string;
  /** The caller needs any one of these; empty = open to everyone, without a key. */
  readonly permissions: readonly Permission[];
  /** `required`: one of the seven money operations. `optional`: honoured when the header is sent. */
  readonly idempotency: "required" | "optional" | "none";
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the whole body may be left out. */
  readonly bodyOptional?: boolean;
  readonly status: 200 | 201;
  readonly response: z.ZodType;
  /** Codes beyond those that every operation can answer (401, 403, 429, 5xx). */
  readonly errors: readonly ErrorCode[];
};

export function operation<const O extends Operation>(definition: O): O {
  return definition;
}

export type BodyOf<O extends Operation> = O["body"] extends z.ZodType ? z.infer<O["body"]> : undefined;
export type QueryOf<O extends Operation> = O["query"] extends z.ZodType ? z.infer<O["query"]> : undefined;
export type ResponseOf<O extends Operation> = z.infer<O["response"]>;
