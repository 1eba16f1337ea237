import type { Database } from "@/db/client";
import { chainAuditLogs } from "@/lib/domain/reconciliation/audit-chain";
import { idTime, newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import type { BookedIds, Corruption } from "./books";
import { TEST_SECRET } from "./factories";
import { settlementCorruptions } from "./settlement-corruptions";

/** Ways to break the books by hand, with guards and triggers out of the way: at least one per check. */
export const bookCorruptions = (db: Database, sql = db.sql): Corruption[] => [
  {
    check: "counters_match_operations",
    how: "a captured amount that no operation captured",
    corrupt: (env, ids) =>
      sql`update payments set amount_captured = amount_captured - 1 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "counters_match_ledger",
    how: "a refunded amount that the ledger does not know",
    corrupt: (env, ids) =>
      sql`update payments set amount_refunded = amount_refunded + 1 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "limits_hold",
    how: "more refunded than captured",
    corrupt: (env, ids) =>
      sql`update payments set amount_refunded = amount_captured + 1 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "reservations_are_open_operations",
    how: "a refund reservation that belongs to nothing",
    corrupt: (env, ids) =>
      sql`update payments set refund_pending = 5 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "reservations_are_open_operations",
    how: "a payment held by an operation that is over",
    corrupt: (env, ids) =>
      sql`update payments set open_operation_id = ${ids.capture} where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "status_follows_from_money",
    how: "a status that the counters contradict",
    corrupt: (env, ids) =>
      sql`update payments set status = 'REFUNDED' where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "charge_has_payment_status",
    how: "a charge with another status than its payment",
    corrupt: (env, ids) =>
      sql`update transactions set status = 'CAPTURED' where environment_id = ${env} and id = ${ids.charge}`,
  },
  {
    check: "sessions_match_payments",
    how: "a client session that its own payment did not complete",
    corrupt: async (env, ids) => {
      const session = newId();
      await sql`insert into client_sessions (environment_id, id, token_sha256, status, amount, currency, capture_method,
          allowed_origins, metadata, expires_at, created_at, updated_at)
        values (${env}, ${session}, ${Buffer.from(session)}, 'OPEN', 1, 'USD', 'automatic', '{}', '{}', now(),
          ${idTime(session)}, ${idTime(session)})`;
      await sql`update transactions set client_session_id = ${session} where environment_id = ${env} and id = ${ids.charge}`;
    },
  },
  {
    check: "payment_has_environment",
    how: "an environment that was deleted beneath its payments",
    corrupt: (env) => sql`delete from environments where id = ${env}`,
  },
  {
    check: "payment_has_connection",
    how: "a card's token at a connection that there never was",
    corrupt: (env) => sql`
      insert into payment_tokens (environment_id, id, processor_token, connection_id, card_last4, card_bin, card_exp_month,
        card_exp_year, expires_at, created_at)
      values (${env}, ${newId()}, '', ${newId()}, '4242', '424242', 12, 2040, now(), now())`,
  },
  {
    check: "transaction_has_payment",
    how: "a refund of a payment that there never was",
    corrupt: (env, ids) =>
      sql`update transactions set payment_id = ${newId()} where environment_id = ${env} and id = ${ids.refund}`,
  },
  {
    check: "operation_has_payment",
    how: "an operation and its transaction whose payment is gone",
    corrupt: (env, ids) => sql`delete from payments where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "created_with_id",
    how: "a payment created at another time than its id says",
    corrupt: (env, ids) =>
      sql`update payments set created_at = created_at + interval '1 ms' where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "operation_has_transaction",
    how: "an operation whose transaction does not exist",
    corrupt: (env, ids) =>
      sql`update operations set transaction_id = ${newId()} where environment_id = ${env} and id = ${ids.capture}`,
  },
  {
    check: "operation_has_transaction",
    how: "a transaction that no operation made",
    corrupt: (env, ids) =>
      sql`update operations set kind = 'void' where environment_id = ${env} and id = ${ids.authorize}`,
  },
  {
    check: "late_approvals_are_undone",
    how: "a declined payment that was approved later, and could not be given back",
    corrupt: async (env, ids) => {
      await sql`update payments set status = 'DECLINED' where environment_id = ${env} and id = ${ids.payment}`;
      await sql`update operations set kind = 'void', state = 'declined' where environment_id = ${env} and id = ${ids.capture}`;
    },
  },
  {
    check: "refund_status_follows_from_operation",
    how: "a refund that failed while its operation succeeded",
    corrupt: (env, ids) =>
      sql`update transactions set status = 'FAILED' where environment_id = ${env} and id = ${ids.refund}`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a capture without its ledger line",
    corrupt: (env, ids) =>
      sql`delete from ledger_entries where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a ledger line with another amount than its refund",
    corrupt: (env, ids) =>
      sql`update ledger_entries set amount = amount + 1 where environment_id = ${env} and operation_id = ${ids.refundOperation}`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a fee on a capture that was to have none",
    corrupt: (env, ids) => sql`insert into ledger_entries
      (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
      values (${env}, ${ids.capture}, 2, ${ids.payment}, 'merchant_payable', 'fees', 1, 'EUR')`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a capture whose rate was raised after its fee was taken",
    corrupt: (env, ids) =>
      sql`update operations set fee_basis_points = 290 where environment_id = ${env} and id = ${ids.capture}`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a capture that does not say its rate, and a fee as large as itself",
    corrupt: (env, ids) => sql`
      with o as (update operations set fee_basis_points = null where environment_id = ${env} and id = ${ids.capture} returning *)
      insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
      select environment_id, id, 2, payment_id, 'merchant_payable', 'fees', amount, currency from o`,
  },
  {
    check: "operation_has_ledger_lines",
    how: "a rate on an operation that took no money",
    corrupt: (env, ids) =>
      sql`update operations set fee_basis_points = 0 where environment_id = ${env} and id = ${ids.authorize}`,
  },
  {
    check: "payment_names_its_own",
    how: "a payment whose authorization is another one's, of the same amount",
    corrupt: (env, ids, _batchId, paidBack) => sql`
      update payments set authorization_id = (
        select p.authorization_id from payments p join transactions t on t.environment_id = p.environment_id and t.payment_id = p.id
        where t.environment_id = ${env} and t.id = ${paidBack.refund})
      where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "payment_names_its_own",
    how: "a payment whose authorization does not exist",
    corrupt: (env, ids) =>
      sql`update payments set authorization_id = ${newId()} where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "payment_names_its_own",
    how: "a refund of another payment's charge",
    corrupt: (env, ids, _batchId, paidBack) =>
      sql`update transactions set refund_of = ${ids.charge} where environment_id = ${env} and id = ${paidBack.refund}`,
  },
  ...(
    [
      [
        "that can be used again",
        (env, token) =>
          sql`update payment_tokens set payment_id = null where environment_id = ${env} and id = ${token}`,
      ],
      [
        "that says it paid another payment",
        (env, token, _ids, other) =>
          sql`update payment_tokens set payment_id = ${other} where environment_id = ${env} and id = ${token}`,
      ],
      [
        "that paid twice",
        (env, token, ids) =>
          sql`update operations set payment_token_id = ${token} where environment_id = ${env} and id = ${ids.refundOperation}`,
      ],
      [
        "whose payment does not know of it",
        (env, _token, ids) =>
          sql`update operations set payment_token_id = null where environment_id = ${env} and id = ${ids.authorize}`,
      ],
    ] satisfies [string, (env: string, token: string, ids: BookedIds, other: string) => Promise<unknown>][]
  ).map(([how, change]) => ({
    check: "tokens_match_payments",
    how: `a used payment token ${how}`,
    async corrupt(env: string, ids: BookedIds) {
      const [token, at] = [newId(), new Date().toISOString()];
      await sql`insert into payment_tokens (environment_id, id, processor_token, card_last4, card_bin, card_exp_month,
          card_exp_year, payment_id, expires_at, created_at)
        values (${env}, ${token}, '', '4242', '424242', 12, 2040, ${ids.payment}, ${at}, ${at})`;
      await sql`update operations set payment_token_id = ${token} where environment_id = ${env} and id = ${ids.authorize}`;
      const [other] = await sql<{ id: string }[]>`
        select id from payments where environment_id = ${env} and id <> ${ids.payment} limit 1`;
      await change(env, token, ids, other?.id ?? "");
    },
  })),
  ...(["amount = amount + 1", "currency = 'USD'"] as const).map((other) => ({
    check: "sessions_match_payments",
    how: `a session that was paid and says another price (${other})`,
    async corrupt(env: string, ids: BookedIds) {
      const session = newId();
      await sql`insert into client_sessions (environment_id, id, token_sha256, status, amount, currency, capture_method,
          allowed_origins, metadata, payment_id, expires_at, created_at, updated_at)
        select environment_id, ${session}, ${Buffer.from(session)}, 'COMPLETED', amount, currency, 'automatic', '{}', '{}', id,
          now(), ${idTime(session)}, ${idTime(session)}
        from payments where environment_id = ${env} and id = ${ids.payment}`;
      await sql`update transactions set client_session_id = ${session} where environment_id = ${env} and id = ${ids.charge}`;
      await sql.unsafe(`update client_sessions set ${other} where id = '${session}'`);
    },
  })),
  {
    check: "outcome_has_event",
    how: "an outcome that nobody was told of",
    corrupt: (env, ids) => sql`delete from events where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  {
    check: "outcome_has_event",
    how: "a refund of which it was told that it was accepted, and not that it came back",
    corrupt: (env, _ids, _batchId, paidBack) =>
      sql`delete from events where environment_id = ${env} and object_id = ${paidBack.refund} and type = 'refund.failed'`,
  },
  {
    check: "outcome_has_event",
    how: "a capture of which its transaction alone told",
    corrupt: (env, ids) =>
      sql`update events set type = 'transaction.captured' where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  {
    check: "events_are_numbered",
    how: "a charge that counts an event nobody was told",
    corrupt: (env, ids) =>
      sql`update transactions set event_sequence = event_sequence + 1 where environment_id = ${env} and id = ${ids.charge}`,
  },
  {
    check: "events_are_numbered",
    how: "an outcome that was told twice",
    corrupt: (env, ids) => sql`insert into events (environment_id, id, type, operation_id, object_id, sequence, data)
      select environment_id, ${newId()}, type, operation_id, object_id, (
        select max(sequence) + 1 from events where environment_id = ${env} and object_id = ${ids.payment}), data
      from events where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  {
    check: "events_are_numbered",
    how: "an event whose number leaves a gap",
    corrupt: (env, ids) => sql`update events set sequence = sequence + 1
      where environment_id = ${env} and object_id = ${ids.refund} and type = 'transaction.settled'`,
  },
  {
    check: "events_are_numbered",
    how: "a payment that counts an event nobody was told",
    corrupt: (env, ids) =>
      sql`update payments set event_sequence = event_sequence + 1 where environment_id = ${env} and id = ${ids.payment}`,
  },
  {
    check: "counters_match_operations",
    how: "an authorization that says it took the money and only held it",
    corrupt: (env, ids) => sql`
      with p as (update payments set capture_method = 'automatic' where environment_id = ${env} and id = ${ids.payment})
      update operations set captured = true where environment_id = ${env} and id = ${ids.authorize}`,
  },
  {
    check: "outcome_has_audit_row",
    how: "an outcome that is missing in the audit log",
    corrupt: (env, ids) =>
      sql`delete from audit_log where environment_id = ${env} and object_id = ${ids.payment} and action = 'payment.refund'`,
  },
  {
    check: "audit_rows_are_chained",
    how: "a row of the audit log that came in past the queue",
    corrupt: (env) => sql`delete from audit_pending where environment_id = ${env}`,
  },
  ...(
    [
      [
        "was changed",
        (row, env) => sql`update audit_log set action = 'x' where environment_id = ${env} and id = ${row}`,
      ],
      ["was removed", (row, env) => sql`delete from audit_log where environment_id = ${env} and id = ${row}`],
      ["was cut out with its link", (row) => sql`delete from audit_links where row_id = ${row}`],
      [
        "changed places with another",
        (row) => sql`update audit_links l set row_id = o.row_id from audit_links o
          where o.chain_id = l.chain_id and l.row_id = ${row} and o.seq = l.seq - 1`,
      ],
    ] satisfies [string, (row: string, environmentId: string) => Promise<unknown>][]
  ).map(([how, change]) => ({
    check: "audit_chains_hold",
    how: `a row of the audit log that ${how}`,
    async corrupt(env: string) {
      while ((await chainAuditLogs({ db, secret: createSecret(TEST_SECRET) })) > 0);
      const [second] = await sql<{ row_id: string }[]>`
        select row_id from audit_links where environment_id = ${env} and seq > 1 order by seq limit 1`;
      await change(second?.row_id ?? "", env);
    },
  })),
  {
    check: "processor_object_has_operation",
    how: "an id that a processor gave to something of nobody's",
    corrupt: (
      env,
      ids,
    ) => sql`insert into processor_objects (environment_id, processor, object_id, kind, operation_id, payment_id)
      values (${env}, 'other', ${`object_${newId()}`}, 'charge', ${newId()}, ${ids.payment})`,
  },
  {
    check: "abandoned_is_test_data",
    how: "books that are said to be abandoned, so that nobody looks at them",
    corrupt: (env) => sql`update environments set abandoned_at = now() where id = ${env}`,
  },
  {
    check: "answered_keys_are_completed",
    how: "a stored answer to an operation whose outcome is not known",
    corrupt: (env, ids) =>
      sql`update operations set state = 'open' where environment_id = ${env} and id = ${ids.refundOperation}`,
  },
  {
    check: "answered_keys_are_completed",
    how: "a stored success without an operation",
    corrupt: (env, ids) =>
      sql`update idempotency_keys set operation_id = ${newId()} where environment_id = ${env} and key = ${ids.capture}`,
  },
  {
    check: "ledger_balances",
    how: "a ledger line of an operation that does not exist",
    corrupt: (env) => sql`insert into ledger_entries
      (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
      values (${env}, ${newId()}, 1, null, 'bank', 'suspense', 1, 'EUR')`,
  },
  {
    check: "ledger_balances",
    how: "a ledger line in another currency than its operation",
    corrupt: (env, ids) =>
      sql`update ledger_entries set currency = 'USD' where environment_id = ${env} and operation_id = ${ids.capture}`,
  },
  ...settlementCorruptions(sql),
  {
    check: "processor_knows_our_operations",
    how: "a capture that the processor never saw",
    corrupt: (_env, ids) => sql`delete from sandbox_processor.operations where reference = ${ids.capture}`,
  },
  {
    check: "we_know_the_processors_operations",
    how: "a refund at the processor that we never sent",
    corrupt: (
      env,
      ids,
    ) => sql`insert into sandbox_processor.operations (reference, account, kind, charge, amount, currency, outcome)
      values (${newId()}, ${env}, 'refund', ${ids.authorize}, 1, 'EUR', 'approved')`,
  },
  {
    check: "we_know_the_processors_operations",
    how: "a capture that we take for failed and the processor did",
    corrupt: (env, ids) =>
      sql`update operations set state = 'failed' where environment_id = ${env} and id = ${ids.capture}`,
  },
  {
    check: "processor_moved_the_same_money",
    how: "a charge of which the processor returned more than we say",
    corrupt: (_env, ids) =>
      sql`update sandbox_processor.charges set amount_refunded = amount_refunded + 1 where reference = ${ids.authorize}`,
  },
  {
    check: "daily_totals_match_ledger",
    how: "a day whose figures count more than the ledger",
    corrupt: (env) => sql`insert into daily_totals (environment_id, currency, day, measure, amount, count)
      values (${env}, 'EUR', '2026-01-01', 'captured', 1, 0)`,
  },
  {
    check: "daily_totals_match_ledger",
    how: "a capture that no figure counts",
    corrupt: (env) => sql`delete from total_deltas where environment_id = ${env} and measure = 'captured'`,
  },
];
