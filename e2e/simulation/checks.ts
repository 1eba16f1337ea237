import { decodeId } from "@/lib/contract/ids";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import { AUTHORIZATION_DAYS } from "@/lib/domain/payments/outcome";
import type { CardName } from "../proof/client";
import {
  expectCapture,
  expectCreate,
  expectRefund,
  expectVoid,
  failRefund,
  type ModelPayment,
  settle,
} from "../proof/model";
import type { Load } from "./load";
import { type Answer, isFinal, type Shop } from "./shop";

type Operation = {
  id: string;
  payment_id: string;
  transaction_id: string;
  kind: "authorize" | "continue" | "capture" | "void" | "refund";
  state: "open" | "succeeded" | "declined" | "failed" | "action_required";
  amount: number;
  detail: string | null;
  idempotency_key: string | null;
  created_ms: number;
  /** The time its end was booked, and the time an accepted refund was reversed. */
  ended_ms: number;
  reversed_ms: number | null;
};
type Payment = {
  id: string;
  authorization_id: string;
  status: PaymentStatus;
  amount: number;
  capture_method: "automatic" | "manual";
  is_settled: boolean;
  /** The end of the hold. */
  capture_before_ms: number | null;
  amount_captured: number;
  amount_refunded: number;
  /**
   * True if an operation in progress reserves the payment or part of it; must be false at the end of a world.
   */
  is_reserved: boolean;
  is_billed: boolean;
};
type Refund = { id: string; payment_id: string; amount: number; status: "CAPTURED" | "SETTLED" | "FAILED" };
type Charge = { reference: string; behavior: string; outcome: string; amount_captured: number };
type Moved = { reference: string; charge: string; kind: string; outcome: string };
type Session = {
  id: string;
  status: string;
  open_payment_id: string | null;
  attempts: number;
  payments: string[] | null;
  /** Its events, in order. */
  told: string[];
};
type Token = { id: string; payment_id: string | null; exists: boolean };
type Key = { key: string; state: string; operation_state: string | null };

/** Everything in one environment and in the processor's account for it. */
type Books = {
  operations: Operation[];
  payments: Payment[];
  refunds: Refund[];
  charges: Charge[];
  moved: Moved[];
  sessions: Session[];
  tokens: Token[];
  keys: Key[];
};

const DAY_MS = 86_400_000;
/** Another clock's times are accepted if they differ from the database's by less than this. */
const CLOCKS_DIFFER_MS = 60_000;
const PAID: ReadonlySet<string> = new Set([
  "AUTHORIZED",
  "CAPTURED",
  "SETTLED",
  "PARTIALLY_REFUNDED",
  "REFUNDED",
  "VOIDED",
]);

/** Checks the invariants of a finished world; one sentence per violation. */
export async function findViolations(shop: Shop, load: Load): Promise<string[]> {
  const books = await readBooks(shop);
  const found = [
    ...checkAnswers(shop, load),
    ...shop.answers.filter(isFinal).flatMap((answer) => checkAgainstBooks(answer, shop, books)),
    ...checkKeys(books),
    ...checkProcessor(books),
    // Those of invoices have checks of their own.
    ...books.payments.filter(({ is_billed }) => !is_billed).flatMap((payment) => checkAgainstModel(payment, books)),
    ...checkSessions(books),
  ];
  noteConditions(shop, books);
  return found;
}

async function readBooks({ ground, environment: { id } }: Shop): Promise<Books> {
  const { monitor: sql } = ground;
  const ms = (column: string) => sql.unsafe(`(extract(epoch from ${column}) * 1000)::float8`);
  const [row] = await sql<{ books: Record<keyof Books, unknown[] | null> }[]>`
    select json_build_object(
      'operations', (select json_agg(o) from (
        select o.id, payment_id, transaction_id, kind, state, o.amount, detail, idempotency_key, ${ms("o.created_at")} as created_ms,
          coalesce((select ${ms("min(l.created_at)")} from ledger_entries l
            where l.environment_id = o.environment_id and l.operation_id = o.id and l.line = 1), ${ms("completed_at")}) as ended_ms,
          (select ${ms("l.created_at")} from ledger_entries l
            where l.environment_id = o.environment_id and l.operation_id = o.id and l.line = 2 and o.kind = 'refund') as reversed_ms
        from operations o where environment_id = ${id} order by o.id) o),
      'payments', (select json_agg(p) from (
        select id, authorization_id, status, amount, capture_method, amount_captured, amount_refunded,
          refund_pending <> 0 or open_operation_id is not null as is_reserved, invoice_id is not null as is_billed,
          exists (select from transactions t where t.environment_id = payments.environment_id and t.id = charge_id
            and t.settlement_batch_id is not null) as is_settled,
          ${ms("capture_before")} as capture_before_ms
        from payments where environment_id = ${id} order by id) p),
      'refunds', (select json_agg(t) from (
        select id, payment_id, amount, status from transactions where environment_id = ${id} and type = 'REFUND' order by id) t),
      'charges', (select json_agg(c) from (
        select reference, behavior, outcome, amount_captured from sandbox_processor.charges where account = ${id}) c),
      'moved', (select json_agg(m) from (
        select reference, charge, kind, outcome from sandbox_processor.operations where account = ${id}) m),
      'sessions', (select json_agg(s) from (
        select id, status, open_payment_id, attempts, (select json_agg(t.payment_id) from transactions t
          where t.environment_id = c.environment_id and t.client_session_id = c.id and t.type = 'CHARGE') as payments,
          (select json_agg(e.sequence || ' ' || e.type order by e.sequence) from events e
            where e.environment_id = c.environment_id and e.object_id = c.id) as told
        from client_sessions c where environment_id = ${id}) s),
      'tokens', (select json_agg(k) from (
        select id, payment_id, exists (select from payments p where p.environment_id = k.environment_id and p.id = k.payment_id)
        from payment_tokens k where environment_id = ${id}) k),
      'keys', (select json_agg(k) from (
        select key, k.state, (select o.state from operations o
          where o.environment_id = k.environment_id and o.id = k.operation_id) as operation_state
        from idempotency_keys k where environment_id = ${id}) k)) as books`;
  const books = Object.entries(row?.books ?? {}).map(([name, rows]) => [name, rows ?? []]);
  return Object.fromEntries(books) as Books;
}

/** A request must get the same bytes for a day, and be executed only once. */
function checkAnswers({ answers, firstSentMs }: Shop, load: Load): string[] {
  const found: string[] = [];
  const byRequest = groupBy(
    answers.filter((answer) => isFinal(answer) && isStored(answer)),
    ({ ask }) => `${ask.key} ${JSON.stringify(ask.body)}`,
  );
  for (const [, same] of byRequest) {
    const [first] = same;
    if (!first || first.ask.what === "attempt") continue;
    const created = load.keysCreatedMs.get(first.ask.key);
    const begin = created ?? firstSentMs.get(first.ask.key) ?? 0;
    // A request sent over a day earlier may respond for the key's earlier use, if its process was frozen in
    // between.
    const ofTheDay = same.filter(
      ({ startedMs, endedMs }) => startedMs > begin - DAY_MS && endedMs >= begin && endedMs < begin + DAY_MS,
    );
    for (const { text, status } of ofTheDay) {
      if (text !== ofTheDay[0]?.text)
        found.push(
          `${first.ask.key} was answered ${status} and ${ofTheDay[0]?.status}, with different bytes, within a day`,
        );
    }
    if (ofTheDay.filter(({ replayed }) => !replayed).length > 1) found.push(`${first.ask.key} has two first responses`);
    if (created === undefined) continue;
    for (const late of same.filter(({ startedMs }) => startedMs >= begin + DAY_MS)) {
      if (late.text === ofTheDay[0]?.text) found.push(`${first.ask.key} was replayed after 24 hours`);
    }
  }
  return found;
}

/**
 * Responses like 404 aren't stored, and a refusal of a key used by another request isn't this one's response.
 */
const isStored = ({ status, code }: Answer) =>
  [200, 201, 402, 422].includes(status) || (status === 409 && code === "invalid_state");

/** Operations reported as done must be done; those reported as not done must not be. */
function checkAgainstBooks(
  { ask, status, text, endedMs, code }: Answer,
  { firstSentMs }: Shop,
  books: Books,
): string[] {
  const under = books.operations.filter(({ idempotency_key: key }) => key === ask.key);
  const said = `${ask.what} ${ask.key} was answered ${status}${code === null ? "" : ` ${code}`}`;
  if (ask.what === "billing" || ask.what === "dispute") return [];
  if (status === 422 || code === "invalid_state") {
    // After a day, the key may belong to another request.
    const endOfDay = (firstSentMs.get(ask.key) ?? 0) + DAY_MS;
    const isContradicted = endedMs < endOfDay && under.some(({ created_ms }) => created_ms < endOfDay);
    return isContradicted ? [`${said}, and there is an operation under its key`] : [];
  }
  if (ask.what === "attempt" || ![200, 201, 402].includes(status)) return [];
  const told = JSON.parse(text) as { id: string; payment_id?: string };
  const paymentId = decodeId("payment", told.payment_id ?? told.id);
  const own = under.filter(({ payment_id }) => payment_id === paymentId);
  if (own.length === 0) return [`${said} for a payment on which its key did nothing`];
  const wrong = own.map((operation) => disagreement(operation, status, books));
  return wrong.every((one) => one !== null) ? [`${said}, and ${wrong[0]}`] : [];
}

/** Compares an operation at the processor with its response. Null if they agree. */
function disagreement({ id, kind }: Operation, status: number, { charges, moved }: Books): string | null {
  const charge = charges.find(({ reference }) => reference === id);
  const move = moved.find(({ reference }) => reference === id);
  const isCharged =
    charge && charge.behavior !== "closed" && (charge.outcome !== "declined" || charge.behavior === "challenge");
  // A refund reversed before its acceptance was received only ever counts as refused.
  const isDone = isCharged || move?.outcome === "approved" || move?.outcome === "failed";
  if (status < 300) return isDone ? null : "the processor did not do it";
  const isOnlyHeld = charge?.behavior === "capture_fails" && kind === "authorize";
  return isDone && !isOnlyHeld && move?.outcome !== "failed" ? "the processor did it" : null;
}

/** One use of a key is one operation, and every ended operation has its response stored. */
function checkKeys({ operations, keys }: Books): string[] {
  const found: string[] = [];
  for (const [key, uses] of groupBy(operations, ({ idempotency_key }) => idempotency_key)) {
    if (key === null) continue;
    const times = uses.map(({ created_ms }) => created_ms).sort((a, b) => a - b);
    if (times.some((time, i) => i > 0 && time - (times[i - 1] as number) < DAY_MS))
      found.push(`${key} has ${uses.length} operations within a day`);
  }
  for (const { key, state, operation_state } of keys) {
    if (state === "running" && operation_state !== null && operation_state !== "open")
      found.push(`${key} waits for an operation that is ${operation_state}`);
  }
  return found;
}

/** Our guards must be sufficient: a working processor never has to refuse a call that they allow. */
function checkProcessor({ operations, charges, moved }: Books): string[] {
  const found: string[] = [];
  const ours = new Set(operations.map(({ id }) => id));
  for (const { reference, charge, kind, outcome } of moved) {
    if (!ours.has(reference)) found.push(`the processor has a ${kind} that is not in our books`);
    const behavior = charges.find((one) => one.reference === charge)?.behavior;
    const mayRefuse = kind === "continue" || (kind === "capture" && behavior === "capture_fails");
    if (outcome === "declined" && !mayRefuse)
      found.push(`the processor had to refuse a ${kind} that our books allowed`);
  }
  for (const { reference } of charges) {
    if (!ours.has(reference)) found.push("the processor has a charge that is not in our books");
  }
  return found;
}

const CARD_OF: Readonly<Record<string, CardName>> = {
  approve: "good",
  "decline:generic_decline": "declined",
  capture_fails: "captureFails",
  slow: "slow",
  refund_fails_later: "refundFailsLater",
  lost_answer: "lostAnswer",
  refuse_once: "refusedOnce",
  challenge: "challenge",
};

/** Replays the operations in booked order on the model and compares the results. */
function checkAgainstModel(payment: Payment, books: Books): string[] {
  const steps = books.operations
    .filter(({ payment_id, kind }) => payment_id === payment.id && kind !== "authorize")
    .flatMap((operation) => [
      { operation, atMs: operation.ended_ms, reverses: false },
      ...(operation.reversed_ms === null ? [] : [{ operation, atMs: operation.reversed_ms, reverses: true }]),
    ])
    .sort((a, b) => a.atMs - b.atMs);
  const authorization = books.operations.find(({ id }) => id === payment.authorization_id);
  if (!authorization) return ["a payment without its authorization"];
  const charge = books.charges.find(({ reference }) => reference === authorization.id);
  const card = CARD_OF[charge?.behavior ?? ""] ?? "good";
  const manual = payment.capture_method === "manual";
  const model: ModelPayment = {
    id: payment.id,
    charge: "",
    card,
    amount: payment.amount,
    captured: 0,
    refunded: 0,
    settled: false,
    refunds: [],
    status: authorization.state === "failed" ? "FAILED" : expectCreate(card, manual).paymentStatus,
  };
  if (model.status === "CAPTURED") model.captured = payment.amount;
  const found: string[] = [];
  if (payment.is_reserved) found.push("a payment waits for an operation, but none is open");
  const held = steps.find(({ operation }) => operation.kind === "continue")?.operation ?? authorization;
  const holdEnds = held.ended_ms + AUTHORIZATION_DAYS * DAY_MS;
  if (payment.capture_before_ms !== null && Math.abs(payment.capture_before_ms - holdEnds) > CLOCKS_DIFFER_MS)
    found.push(`a hold ends ${(payment.capture_before_ms - holdEnds) / 1_000} s from the expected time`);
  for (const { operation, reverses } of steps) {
    if (reverses) failRefund(model, operation.transaction_id);
    else found.push(...follow(model, operation, manual));
  }
  if (payment.is_settled) settle([model]);
  const told = ({
    status,
    captured,
    refunded,
    refunds,
  }: Pick<ModelPayment, "status" | "captured" | "refunded" | "refunds">) =>
    `${status}, ${captured} captured, ${refunded} refunded: ${refunds
      .filter((refund) => refund.status !== "FAILED")
      .map((refund) => refund.amount)
      .sort((a, b) => a - b)
      .join(" ")}`;
  const refunds = books.refunds.filter(({ payment_id }) => payment_id === payment.id);
  const is = told({ ...payment, captured: payment.amount_captured, refunded: payment.amount_refunded, refunds });
  if (is !== told(model)) found.push(`a payment is ${is}, but ${told(model)} in the model`);
  return found;
}

function follow(
  model: ModelPayment,
  { kind, state, amount, detail, reversed_ms, transaction_id }: Operation,
  manual: boolean,
) {
  if (kind === "continue") {
    if (model.status !== "REQUIRES_ACTION") return [`a challenge was ended of a payment that is ${model.status}`];
    model.status =
      state === "failed" ? "FAILED" : detail === "passed" ? (manual ? "AUTHORIZED" : "CAPTURED") : "DECLINED";
    if (model.status === "CAPTURED") model.captured = model.amount;
    return [];
  }
  const expected =
    kind === "capture"
      ? expectCapture(model, amount)
      : kind === "void"
        ? expectVoid(model)
        : expectRefund(model, amount);
  const succeeded = state === "succeeded" || reversed_ms !== null;
  if (!succeeded) return [];
  if (expected.status >= 300) return [`a ${kind} of ${amount} succeeded on a payment that is ${model.status}`];
  expected.apply(transaction_id);
  return [];
}

/**
 * An expired session can still be paid with a card token created in time, or canceled once its challenge is
 * ended; both events follow the expiry.
 */
function expectedOf({ status, told }: Session): string[] {
  const types = ["client_session.created"];
  if (told.some((one) => one.endsWith(".expired"))) types.push("client_session.expired");
  if (status !== "OPEN") types.push(`client_session.${status.toLowerCase()}`);
  return types.map((type, index) => `${index + 1} ${type}`);
}

/** A session and a token pay at most once, and only a payment uses them up. */
function checkSessions({ sessions, tokens, payments, charges }: Books): string[] {
  const found: string[] = [];
  for (const session of sessions) {
    const made = payments.filter(({ id }) => session.payments?.includes(id));
    const paid = made.filter(({ status }) => PAID.has(status));
    const charged = made.filter(({ authorization_id }) =>
      charges.some(
        ({ reference, outcome, behavior }) =>
          reference === authorization_id && outcome === "approved" && behavior !== "closed",
      ),
    );
    if (charged.length > 1) found.push(`a session was paid ${charged.length} times`);
    if ((session.status === "COMPLETED") !== (paid.length === 1))
      found.push(`a session is ${session.status} with ${paid.length} payments that succeeded`);
    if (session.open_payment_id !== null) found.push("a session waits for a payment that has ended");
    if (session.told.join() !== expectedOf(session).join())
      found.push(`a session that is ${session.status} has the events ${session.told.join()}`);
  }
  for (const { payment_id, exists } of tokens) {
    if (payment_id !== null && !exists) found.push("a token was used up without a payment");
  }
  return found;
}

/** Records conditions that are only visible in the books of a finished world. */
function noteConditions({ world, answers }: Shop, { operations, sessions }: Books): void {
  for (const same of groupBy(operations, ({ payment_id }) => payment_id).values()) {
    const refunds = same.filter(({ kind }) => kind === "refund");
    const overlap = refunds.some((one) =>
      refunds.some((other) => other !== one && other.created_ms > one.created_ms && other.created_ms < one.ended_ms),
    );
    if (overlap) world.sometimes("concurrent refunds");
    if (refunds.some(({ reversed_ms }) => reversed_ms !== null)) world.sometimes("a refund is returned");
  }
  const targets = (what: string) =>
    answers
      .filter(({ ask }) => ask.what === what)
      .map(({ ask }) => (ask.what === "capture" || ask.what === "void" ? ask.target : ""));
  const voids = new Set(targets("void"));
  if (targets("capture").some((target) => voids.has(target))) world.sometimes("a concurrent capture and void");
  for (const uses of groupBy(operations, ({ idempotency_key }) => idempotency_key ?? "").entries()) {
    if (uses[0] !== "" && uses[1].length > 1) world.sometimes("a key is reused after its 24 hours");
  }
  const tried = (what: RegExp) => new Set(answers.map(({ ask }) => ask.key).filter((key) => what.test(key))).size;
  if (sessions.some(({ status }) => status === "COMPLETED") && tried(/^tab/) > 1)
    world.sometimes("a session is paid once by concurrent shoppers");
  const stored = answers.filter(({ ask }) => ask.key.startsWith("stored"));
  if (stored.some(({ code }) => code === "invalid_state") && stored.some(({ status }) => status === 201))
    world.sometimes("a stored card is removed between its payments");
  if (tried(/^token/) > 1) world.sometimes("a token is used once by concurrent requests");
}

function groupBy<T, K>(list: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of list) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}
