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

/** `open`: sent, or about to be; the outcome is not known. Everything else is final, but that a refund can fail late. */
export const OPERATION_STATES = ["open", "succeeded", "declined", "failed", "action_required"] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/**
 * Who did it: an API key, one of the merchant's members, Cardlane's support staff, a shopper in the payment form (`id` is the
 * client session's), or Cardlane itself.
 */
export type ActorRecord = { type: "api_key" | "user" | "staff" | "shopper" | "system"; id: string | null };

/** A request that used a key for something else than its first one. */
export type KeyReuse = {
  /** Absent from rows of before it was stored. */
  endpoint?: string;
  path: string;
  body: unknown;
  request_id: string;
  actor: ActorRecord;
  at: string;
};

/**
 * The intent of one call to the processor, written before the call is made and never deleted. Its id is the processor's
 * reference, so sending it again is the same call.
 */
export const operations = pgTable(
  "operations",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    /** The transaction it makes or changes: the charge, or the refund. */
    transaction_id: uuid("transaction_id").notNull(),
    kind: oneOf("operation_kind", OPERATION_KINDS)("kind").notNull(),
    state: oneOf("operation_state", OPERATION_STATES)("state").notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    /** Void reason or challenge result, needed to send the operation again. */
    detail: text("detail"),
    idempotency_key: text("idempotency_key"),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    request_id: uuid("request_id"),
    /** Counts the takers; only the last one may write the outcome. */
    epoch: integer("epoch").notNull().default(1),
    lease_until: instant("lease_until").notNull(),
    /** No call by the first request is executed after this time. */
    send_until: instant("send_until").notNull(),
    /**
     * An authorization whose request died may be sent by a retry of that request, which has the card: until a call for it
     * ended without a known outcome, and once.
     */
    may_resend: boolean("may_resend").notNull().default(true),
    /** When the last call for it ended without a known outcome. */
    unknown_at: instant("unknown_at"),
    /** When the processor confirmed that it has it and works on it: from then on "not found" proves nothing. */
    accepted_at: instant("accepted_at"),
    /** Whether it captured: always for a capture that succeeded, for an authorization when it took the money at once. */
    captured: boolean("captured").notNull().default(false),
    next_attempt_at: instant("next_attempt_at").notNull(),
    attempts: integer("attempts").notNull().default(1),
    /** The rate that its fee was taken at, in hundredths of a percent; only where it took money, and never changed (a trigger). */
    fee_basis_points: smallint("fee_basis_points"),
    /** The token whose card it charged. */
    payment_token_id: uuid("payment_token_id"),
    /** The processor's last answer, in one line, for support staff. */
    last_answer: text("last_answer"),
    created_at: instant("created_at").notNull().default(sql`now()`),
    completed_at: instant("completed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves a payment's timeline and the reconciliation. */
    index("operations_payment").on(table.environment_id, table.payment_id),
    /**
     * Serves the recovery worker: each environment's open operations that are due, and which environments have any; and the overview,
     * which tells a merchant of those without a known outcome.
     */
    index("operations_open")
      .on(table.environment_id, table.next_attempt_at, table.created_at)
      .where(sql`state = 'open'`),
    /** Serves the job that tries again to give back what was approved too late. There is hardly any. */
    index("operations_late_approvals")
      .on(table.environment_id, table.payment_id)
      .where(sql.raw(`kind = 'void' and detail = '${LATE_APPROVAL}' and state <> 'open'`)),
    check("operations_amount", sql`${table.amount} > 0`),
  ],
);
export type OperationRow = typeof operations.$inferSelect;

/**
 * Ids that processors gave to what they made for an operation, kept before money can move: by them it is found again, and
 * their reports are understood.
 */
export const processorObjects = pgTable(
  "processor_objects",
  {
    environment_id: environmentId(),
    processor: text("processor").notNull(),
    /** The processor's own id. */
    object_id: text("object_id").notNull(),
    /** What it is at the processor. */
    kind: text("kind").notNull(),
    operation_id: uuid("operation_id").notNull(),
    payment_id: uuid("payment_id").notNull(),
    created_at: instant("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.processor, table.object_id] }),
    /** Serves the calls for a payment. */
    index("processor_objects_payment").on(table.environment_id, table.payment_id),
    /** Serves reports, which name no environment. */
    uniqueIndex("processor_objects_id").on(table.processor, table.object_id),
  ],
);
export type ProcessorObjectRow = typeof processorObjects.$inferSelect;

/** First use and answer of each idempotency key. A row 24 hours old counts as absent and is overwritten in place. */
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
    /** The first request's body, with no card number and no CVV: to show what a key was used for. */
    request_body: jsonb("request_body").$type<unknown>(),
    request_id: uuid("request_id").notNull(),
    actor: jsonb("actor").$type<ActorRecord>().notNull(),
    /** The intent behind it; null while none was written (a refusal). */
    operation_id: uuid("operation_id"),
    state: text("state", { enum: ["running", "done"] }).notNull(),
    /** Until then the first request is taken to be alive; only for keys without an operation, which has its own lease. */
    locked_until: instant("locked_until").notNull(),
    status_code: smallint("status_code"),
    response_body: text("response_body"),
    /** The answer holds a secret that is shown once, and is stored encrypted. */
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
    /** Serves an environment's latest keys, and, environment by environment, the clean-up of old ones. */
    index("idempotency_keys_recent").on(table.environment_id, table.created_at, table.key),
    check("idempotency_keys_done", sql`(${table.state} = 'done') = (${table.response_body} is not null)`),
  ],
);
export type IdempotencyKeyRow = typeof idempotencyKeys.$inferSelect;
