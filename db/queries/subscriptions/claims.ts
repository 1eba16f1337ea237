import type { Sql, Transaction } from "@/db/client";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { Fragment } from "../statement-text";
import { rowToInsert, type Tag } from "./rows";

/** The invoice that a payment is for. T1 claims it in the payment's own statement. */
export type InvoiceClaim = { readonly invoiceId: string; readonly subscriptionId: string } & (
  | {
      /** An attempt to pay an open invoice. */
      readonly kind: "attempt";
      /** Earlier attempts: of two concurrent attempts that see the same number, one is made. */
      readonly attempts: number;
      /**
       * Made by the engine, only while an attempt is scheduled (cancel, pause and void unschedule it) and the
       * merchant isn't suspended.
       */
      readonly automatic: boolean;
    }
  | {
      /** The first payment of a new subscription, or the payment of a change. */
      readonly kind: "first";
      /** A new subscription, or the version for which the change was computed. */
      readonly subscription: SubscriptionRow | { readonly version: number };
      /** Its status is DRAFT. */
      readonly invoice: InvoiceRow;
      /** Hex digests, each of which gets only one trial. */
      readonly trialKeys: readonly string[];
    }
);

/**
 * Part of the select list that fails the statement rather than claim an invoice without making its payment.
 */
const paymentMade = (sql: Sql | Transaction) =>
  sql`, require_written(1 - (select count(*) from billing) + (select count(*) from payment))`;

/**
 * CTEs of T1 that follow `session`, up to `billing`, which has one row if the claim holds. The update of the
 * invoice's row decides between an attempt and anything that ends the invoice. `check`: select-list part that
 * fails the statement if a trial was taken concurrently.
 */
export function claimInvoice(
  sql: Sql | Transaction,
  environmentId: string,
  paymentId: string,
  claim: InvoiceClaim,
): { ctes: Fragment; check: Fragment } {
  if (claim.kind === "attempt") {
    return {
      check: paymentMade(sql),
      ctes: sql`billing as (
        update invoices set open_payment_id = ${paymentId}::uuid, open_is_automatic = ${claim.automatic}::boolean,
          attempts = attempts + 1, payment_ids = payment_ids || ${paymentId}::uuid, version = version + 1
        where environment_id = ${environmentId}::uuid and id = ${claim.invoiceId}::uuid
          and (select count(*) from session) = 1
          and case when status = 'OPEN' and open_payment_id is null and attempts = ${claim.attempts}::int
            and (not ${claim.automatic}::boolean or (next_attempt_at is not null and exists (
              select from environments e join merchants m on m.id = e.merchant_id
              where e.id = ${environmentId}::uuid and m.suspended_at is null))) then true end
        returning 1
      ),`,
    };
  }
  const tag = Object.assign((text: TemplateStringsArray, ...values: unknown[]) => sql(text, ...(values as never[])), {
    raw: (text: string) => sql.unsafe(text),
  }) as unknown as Tag;
  const { subscription, invoice, trialKeys, subscriptionId } = claim;
  const attempted = { ...invoice, attempts: 1, open_payment_id: paymentId, payment_ids: [paymentId] };
  const holder =
    "id" in subscription
      ? sql`insert into subscriptions ${rowToInsert(tag, "subscriptions", subscription)}
          where (select count(*) from session) = 1 returning plan_id`
      : sql`update subscriptions set version = version + 1
          where environment_id = ${environmentId}::uuid and id = ${subscriptionId}::uuid
            and version = ${subscription.version}::int and (select count(*) from session) = 1
          returning plan_id`;
  return {
    check:
      trialKeys.length > 0
        ? sql`${paymentMade(sql)}, require_written(1 - ${trialKeys.length}::int * (select count(*) from billing) + (select count(*) from billed_trials))`
        : paymentMade(sql),
    ctes: sql`billed_subscription as (${holder}),
      billed_trials as (
        insert into subscription_trials (environment_id, plan_id, key, subscription_id)
        select ${environmentId}::uuid, s.plan_id, decode(k, 'hex'), ${subscriptionId}::uuid
        from billed_subscription s, unnest(string_to_array(${trialKeys.join()}, ',')) k
        where ${trialKeys.length}::int > 0
        order by k
        on conflict do nothing returning 1
      ),
      billing as (
        insert into invoices ${rowToInsert(tag, "invoices", attempted)}
        where (select count(*) from billed_subscription) = 1 returning 1
      ),`,
  };
}
