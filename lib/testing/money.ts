import { randomUUID } from "node:crypto";
import type { Database } from "@/db/client";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { createPaymentBody, type Payment } from "@/lib/contract/payments/payment";
import type { Context, Reply, Service } from "@/lib/domain/context";
import { keepableBody } from "@/lib/domain/idempotency/keepable-body";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { capturePayment, refundPayment, voidPayment } from "@/lib/domain/payments/follow-up";
import { getPayment } from "@/lib/domain/payments/read-payments";
import { recoverOperations } from "@/lib/domain/payments/recover-operations";
import { captureTransaction, refundTransaction, voidTransaction } from "@/lib/domain/transactions/act-on-transactions";
import { idTime, newId } from "@/lib/ids";
import { withDeadline } from "@/lib/processor/deadline";
import { createRegistry } from "@/lib/processor/registry";
import { sha256 } from "@/lib/secret";
import { createTestMerchant, testContext, testIdempotency, testService } from "./factories";
import { scriptProcessor } from "./scripted-processor";

/** A reply, or the refusal that was thrown; `body` is parsed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
export type MoneyAnswer = { status: number; code: string | null; replayed: boolean; text: string; body: any };

type Asked = { key?: string; context?: Partial<Context>; service?: Service };

const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };

const VERBS = {
  capture: { payments: capturePayment, transactions: captureTransaction },
  void: { payments: voidPayment, transactions: voidTransaction },
  refund: { payments: refundPayment, transactions: refundTransaction },
};

async function answerOf(reply: Promise<Reply>): Promise<MoneyAnswer> {
  try {
    const { status, body: short, replayed, long } = await reply;
    const body = long ? await long.read() : short;
    const parsed = JSON.parse(body);
    return { status, code: status >= 400 ? parsed.code : null, replayed, text: body, body: parsed };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: error.status, code: error.code, replayed: false, text: error.message, body: error };
  }
}

/** A tenant whose money moves without HTTP, on a processor that follows a script: the sandbox, or that of `overrides`. Keys are new unless given. */
export async function moneyTenant(db: Database, overrides: Partial<Service> = {}) {
  const plain = testService(db, overrides);
  const sandbox = plain.processors.builtIn("test");
  if (!sandbox) throw new Error("tests always have the sandbox");
  const script = scriptProcessor(sandbox);
  const processors = createRegistry({ sandbox: withDeadline(script.processor, plain.processorTimeoutMs) });
  const service: Service = { ...plain, processors };
  const merchant = await createTestMerchant(db);
  const environmentId = merchant.test.id;

  const contextOf = (endpoint: string, path: string, body: object, asked: Asked) =>
    testContext(asked.service ?? service, merchant.test, {
      idempotency: testIdempotency(
        asked.key ?? randomUUID(),
        sha256(`${path} ${JSON.stringify(body)}`),
        keepableBody(body),
      ),
      ...asked.context,
      request: { id: newId(), endpoint, path },
    });

  return {
    service,
    merchant,
    script,
    environmentId,
    create(body: object = {}, asked: Asked = {}): Promise<MoneyAnswer> {
      const given = { amount: 10_000, currency: "USD", ...("payment_token" in body ? {} : { card: CARD }), ...body };
      const ctx = contextOf("createPayment", "/v1/payments", given, asked);
      return answerOf(createPayment(ctx, createPaymentBody.parse(given)));
    },
    /** On a payment or, by a `txn_` id, on a transaction. */
    act(kind: keyof typeof VERBS, id: string, body: object = {}, asked: Asked = {}): Promise<MoneyAnswer> {
      const resource = id.startsWith("pay_") ? "payments" : "transactions";
      const endpoint = `${kind}${resource === "payments" ? "Payment" : "Transaction"}`;
      const ctx = contextOf(endpoint, `/v1/${resource}/${id}/${kind}`, body, asked);
      return answerOf(VERBS[kind][resource](ctx, { ...body, id } as never));
    },
    get(id: string): Promise<Payment> {
      return getPayment(testContext(service, merchant.test), { id });
    },
    /** Brings about what time alone would: whoever worked on an operation has had its time. */
    async endLeases(): Promise<void> {
      await db.sql`update operations set lease_until = now() - interval '1 ms', next_attempt_at = now() - interval '1 ms',
          unknown_at = coalesce(unknown_at, now()) - interval '1 minute',
          send_until = least(send_until, now()) - interval '1 minute', created_at = created_at - interval '1 minute'
        where environment_id = ${environmentId} and state = 'open'`;
      await db.sql`update idempotency_keys set locked_until = now() - interval '1 ms' where environment_id = ${environmentId} and state = 'running'`;
    },
    complete: () => recoverOperations(service),
    async operations(paymentId: string) {
      const rows = await db.sql<
        { id: string; kind: string; state: string; epoch: number; attempts: number; last_answer: string }[]
      >`
        select id, kind, state, epoch, attempts, last_answer from operations
        where environment_id = ${environmentId} and payment_id = ${decodeId("payment", paymentId)} order by id`;
      return [...rows];
    },
    async key(key: string) {
      const [row] = await db.sql<
        { state: string; status_code: number | null; response_body: string | null; operation_id: string | null }[]
      >`
        select state, status_code, response_body, operation_id from idempotency_keys
        where environment_id = ${environmentId} and key = ${key}`;
      return row ?? null;
    },
    /** Makes a key as old as that, by the database's clock. */
    async ageKey(key: string, interval: string): Promise<void> {
      await db.sql`update idempotency_keys set created_at = date_trunc('milliseconds', now()) - ${interval}::interval
        where environment_id = ${environmentId} and key = ${key}`;
    },
  };
}

export type MoneyTenant = Awaited<ReturnType<typeof moneyTenant>>;

type CopyOptions = { environmentId: string; id: string; times: number; status?: "FAILED" | "PENDING" };

/** Writes a transaction so many times more; as failed, as a payment has them after many refunds that came to nothing. */
export async function copyTransaction(
  db: Database,
  { environmentId, id, times, status = "FAILED" }: CopyOptions,
): Promise<void> {
  const copies = Array.from({ length: times }, () => newId()).map((id) => ({ id, status, created_at: idTime(id) }));
  const columns = await db.sql<{ name: string }[]>`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = 'transactions'::regclass and attnum > 0 and attgenerated = '' and not attisdropped`;
  const names = db.sql.unsafe(columns.map(({ name }) => name).join(", "));
  await db.sql`
    insert into transactions (${names})
    select ${names} from (
      select (jsonb_populate_record(t, o || '{"captured_at": null, "refunded_at": null}')).*
      from transactions t, jsonb_array_elements(${copies as never}::jsonb) o
      where t.environment_id = ${environmentId} and t.id = ${id}) r`;
}
