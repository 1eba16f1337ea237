import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { LATE_APPROVAL } from "@/lib/contract/payments/words";
import { bytea, environmentId, instant, money, oneOf } from "../columns";

export const OPERATION_KINDS = ["authorize", "continue", "capture", "void", "refund"] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

/**
 * `open`: sent, or about to be, with unknown outcome. All other states are final, except that a refund can
 * still fail.
 */
export const OPERATION_STATES = ["open", "succeeded", "declined", "failed", "action_required"] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/**
 * The actor: an API key, a member of the merchant, support staff, a shopper in the payment form (`id` is the
 * client session's), a customer in the portal (`id` is the portal session's), or Cardlane itself.
 */
export type ActorRecord = { type: "api_key" | "user" | "staff" | "shopper" | "customer" | "system"; id: string | null };

/** Actor of operations that Cardlane starts by itself. */
export const SYSTEM: ActorRecord = { type: "system", id: null };

/** A request that reused a key with other parameters. */
export type KeyReuse = {
  /** Absent from older rows. */
  endpoint?: string;
  path: string;
  body: unknown;
  request_id: string;
  actor: ActorRecord;
  at: string;
};

/**
 * The intent of one processor call, written before the call and never deleted. Its id is the processor's
 * reference, so a retry is the same call.
 */
export const operations = pgTable(
  "operations",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** The transaction that it creates or changes: the charge, or the refund. */
    transaction_id: uuid("transaction_id").notNull(),
    kind: oneOf("operation_kind", OPERATION_KINDS)("kind").notNull(),
    state: oneOf("operation_state", OPERATION_STATES)("state").notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    /** Void reason or challenge result, needed for a retry. */
    detail: text("detail"),
    idempotency_key: text("idempotency_key"),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    request_id: uuid("request_id"),
    /** Incremented by each takeover; only the latest holder may write the outcome. */
    epoch: integer("epoch").notNull().default(1),
    lease_until: instant("lease_until").notNull(),
    /** No call by the first request is executed after this time. */
    send_until: instant("send_until").notNull(),
    /**
     * Lets a retry of the original request, which has the card, send the authorization again if the first
     * process died: once, and only until a call ended with an unknown outcome.
     */
    may_resend: boolean("may_resend").notNull().default(true),
    /** When its last call ended with an unknown outcome. */
    unknown_at: instant("unknown_at"),
    /** When the processor confirmed that it is processing it. From then on "not found" proves nothing. */
    accepted_at: instant("accepted_at"),
    /** True if it captured: any successful capture, or an authorization with immediate capture. */
    captured: boolean("captured").notNull().default(false),
    next_attempt_at: instant("next_attempt_at").notNull(),
    attempts: integer("attempts").notNull().default(1),
    /** Fee rate in basis points; only on operations that moved money, and immutable (a trigger). */
    fee_basis_points: smallint("fee_basis_points"),
    /** The token that was charged. */
    payment_token_id: uuid("payment_token_id"),
    /** The processor's last response in one line, for support staff. */
    last_answer: text("last_answer"),
    created_at: instant("created_at").notNull().default(sql`now()`),
    completed_at: instant("completed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves a payment's timeline and reconciliation. */
    index("operations_payment").on(table.environment_id, table.payment_id),
    /**
     * Serves the recovery worker (due operations of each environment, and which environments have any) and
     * the overview's count of operations with an unknown outcome.
     */
    index("operations_open")
      .on(table.environment_id, table.next_attempt_at, table.created_at)
      .where(sql`state = 'open'`),
    /** Serves the job that retries voids of late approvals. Nearly empty. */
    index("operations_late_approvals")
      .on(table.environment_id, table.payment_id)
      .where(sql.raw(`kind = 'void' and detail = '${LATE_APPROVAL}' and state <> 'open'`)),
    check("operations_amount", sql`${table.amount} > 0`),
  ],
);
export type OperationRow = typeof operations.$inferSelect;

/**
 * Processor ids of objects created for an operation, stored before money can move, so that later lookups and
 * reports can be matched.
 */
export const processorObjects = pgTable(
  "processor_objects",
  {
    environment_id: environmentId(),
    processor: text("processor").notNull(),
    object_id: text("object_id").notNull(),
    /** The object's type at the processor. */
    kind: text("kind").notNull(),
    operation_id: uuid("operation_id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.processor, table.object_id] }),
    /** Serves the calls for one payment. */
    index("processor_objects_payment").on(table.environment_id, table.payment_id),
    /** Serves reports, which name no environment. */
    uniqueIndex("processor_objects_id").on(table.processor, table.object_id),
  ],
);
export type ProcessorObjectRow = typeof processorObjects.$inferSelect;

/**
 * First request and response of each idempotency key. A row older than 24 hours counts as absent and is
 * overwritten in place.
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    environment_id: environmentId(),
    key: text("key").notNull(),
    /** Endpoint name; it determines the shape of the stored response. */
    endpoint: text("operation_name").notNull(),
    path: text("path").notNull(),
    /** Keyed digest of method, path and parsed body; equal digests are equal requests. */
    request_digest: bytea("request_digest").notNull(),
    /** The first request's body without card number and CVV, to show what the key was used for. */
    request_body: jsonb("request_body").$type<unknown>(),
    request_id: uuid("request_id").notNull(),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    /** The operation it started; null if none was written (a refusal). */
    operation_id: uuid("operation_id"),
    state: text("state", { enum: ["running", "done"] }).notNull(),
    /**
     * The first request counts as running until then. Only for keys without an operation, which has its own
     * lease.
     */
    locked_until: instant("locked_until").notNull(),
    status_code: smallint("status_code"),
    response_body: text("response_body"),
    /** The response holds a secret that is shown once, so it is stored encrypted. */
    response_sealed: boolean("response_sealed").notNull().default(false),
    replay_count: integer("replay_count").notNull().default(0),
    last_replayed_at: instant("last_replayed_at"),
    reuse_count: integer("reuse_count").notNull().default(0),
    last_reuse: jsonb("last_reuse").$type<KeyReuse>(),
    created_at: instant("created_at").notNull().default(sql`now()`),
    completed_at: instant("completed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.key] }),
    /** Serves an environment's latest keys, and the clean-up of old ones per environment. */
    index("idempotency_keys_recent").on(table.environment_id, table.created_at, table.key),
    check("idempotency_keys_done", sql`(${table.state} = 'done') = (${table.response_body} is not null)`),
  ],
);
export type IdempotencyKeyRow = typeof idempotencyKeys.$inferSelect;
