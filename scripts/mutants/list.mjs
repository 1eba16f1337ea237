// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits are pieces of code, verbatim.
import { CONNECTOR_MUTANTS } from "./connectors.mjs";
import { SUBSCRIPTION_MUTANTS } from "./subscriptions.mjs";

/** Doubles of processors that can replace the sandbox. */
export const DOUBLES = ["stripe", "adyen"];

/**
 * `edits`: [file, old text, new text]; all must be found. `tests`: [project, file, test name] that must fail.
 * `simulation`: a race or crash, which simulated worlds must notice too. `doubles`: those behind which the
 * service's proofs must notice it under load.
 */
export const MUTANTS = [
  {
    name: "no guard on refunds",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      [
        "db/queries/payments/intents.ts",
        /\n\s*and amount_refunded \+ refund_pending \+ \(select amount from locked\) <= amount_captured/,
        "",
      ],
    ],
    tests: ["int", "lib/domain/payments/finish-operation.int.test.ts", "never does more than there is"],
  },
  {
    name: "no guard on an API key's refunds per day",
    edits: [
      ["db/queries/payments/intents.ts", "${refunds} <= (limiting.limits ->> 'refunds_per_day')::int", "true"],
      [
        "db/queries/payments/intents.ts",
        "${refunded} <= (limiting.limits ->> 'refund_amount_per_day')::bigint",
        "true",
      ],
    ],
    tests: ["int", "lib/domain/payments/key-limits.int.test.ts", "never exceed its limits together"],
  },
  {
    name: "no guard on disputed refunds",
    edits: [
      [
        "db/queries/payments/intents.ts",
        "((dispute_status in ('NEEDS_RESPONSE', 'UNDER_REVIEW')) is not true or ${followUp.acknowledgesDispute ?? false}::boolean)",
        "true",
      ],
    ],
    tests: ["int", "lib/domain/disputes/record-dispute.int.test.ts", "no refund that begins after a dispute"],
  },
  {
    name: "a dispute is booked again with each change",
    simulation: true,
    edits: [["lib/domain/disputes/book-dispute.ts", "wanted[part] - is[part]", "wanted[part]"]],
    tests: ["int", "lib/domain/disputes/record-dispute.int.test.ts", "of several disputes the lost one decides"],
  },
  {
    name: "a late report of a dispute replaces a later state",
    simulation: true,
    edits: [
      [
        "lib/domain/disputes/record-dispute.ts",
        "if (known.read_at >= dispute.read_at) return known.read_at > dispute.read_at || !differs(known, dispute);",
        "",
      ],
    ],
    tests: ["int", "lib/domain/disputes/record-dispute.int.test.ts", "an earlier read does not replace a later one"],
  },
  {
    name: "a withdrawn request is approved",
    simulation: true,
    edits: [
      [
        "db/queries/approvals.ts",
        "and r.id = ${id}::uuid and r.status = 'PENDING' and r.expires_at > now()",
        "and r.id = ${id}::uuid and r.expires_at > now()",
      ],
    ],
    tests: ["int", "lib/domain/approvals/approvals.int.test.ts", "approve and withdraw"],
  },
  {
    name: "a read does not wait for its replica",
    simulation: true,
    edits: [["db/replicas.ts", "await replica.reaches(primary.position)", "await replica.reaches(0)"]],
    tests: ["int", "db/replicas.int.test.ts", "reads in every process have what was committed before"],
  },
  {
    name: "a read goes to another replica than the one that has caught up",
    simulation: true,
    edits: [
      [
        "db/replicas.ts",
        "const { pools, instance } = replica;",
        "const { pools, instance } = used[this.#turn % used.length] as Replica<C>;",
      ],
    ],
    tests: ["unit", "db/replicas.test.ts", "of two replicas"],
  },
  {
    name: "a removed card is charged",
    edits: [["db/queries/payments/intents.ts", "and removed_at is null for share)`;", "for share)`;"]],
    tests: ["int", "lib/domain/payments/cards-on-file.int.test.ts", "a removal among 20 payments"],
  },
  {
    name: "a removal does not wait for payments that begin",
    edits: [["db/queries/payments/intents.ts", "and removed_at is null for share)`;", "and removed_at is null)`;"]],
    tests: ["int", "lib/domain/payments/cards-on-file.int.test.ts", "a removal waits for a payment that begins"],
  },
  {
    name: "a dead request's payment is sent with a removed card",
    edits: [["db/queries/payments/operations.ts", "and m.removed_at is not null)", "and false)"]],
    tests: ["int", "lib/domain/payments/cards-on-file.int.test.ts", "unless its card was removed"],
  },
  {
    name: "no guard on captures",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      [
        "db/queries/payments/intents.ts",
        "status = 'AUTHORIZED' and open_operation_id is null and (${followUp.outside",
        "status = 'AUTHORIZED' and (${followUp.outside",
      ],
    ],
    tests: ["int", "lib/domain/payments/finish-operation.int.test.ts", "capture × 40"],
  },
  {
    name: "a time-out is a failure",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      [
        "lib/domain/payments/execute.ts",
        /case "unknown":\s*return leaveOpen\([^;]*;/,
        'case "unknown":\n      return finishOperation(service, operation, { kind: "failed", reason: outcome.reason }, known);',
      ],
    ],
    tests: ["int", "lib/domain/payments/recover-operations.int.test.ts", "ends CAPTURED if the processor did charge"],
  },
  {
    name: "a new reference on retry",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      [
        "lib/domain/payments/processor-calls.ts",
        "notAfter: new Date(operation.notAfter),\n    ...(await holderReference(service, processor, operation)),",
        "notAfter: new Date(operation.notAfter),\n    ...(await holderReference(service, processor, operation)),\n    ...(operation.epoch > 1 && { reference: crypto.randomUUID() }),",
      ],
    ],
    tests: ["int", "lib/domain/payments/recover-operations.int.test.ts", "is resent under its reference"],
  },
  {
    // The payment's version is a second guard, so simulated worlds notice only when both are gone.
    name: "no epoch check",
    edits: [
      ["db/queries/payments/outcomes.ts", " and epoch = ${s.from.epoch}::int)", ")"],
      ["db/queries/payments/outcomes.ts", /\n\s*and epoch = \$\{s\.from\.epoch\}::int and/, " and"],
    ],
    tests: ["int", "lib/domain/payments/finish-operation.int.test.ts", "is discarded while another holds"],
  },
  {
    name: "no fencing",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      ["db/queries/payments/outcomes.ts", " and epoch = ${s.from.epoch}::int)", ")"],
      ["db/queries/payments/outcomes.ts", /\n\s*and epoch = \$\{s\.from\.epoch\}::int and/, " and"],
      ["db/queries/payments/outcomes.ts", " and version = ${s.from.version}::int", ""],
    ],
    tests: ["int", "lib/domain/payments/finish-operation.int.test.ts", "is discarded while another holds"],
  },
  {
    name: "no version check",
    simulation: true,
    // Adyen reports in sequential messages, so two outcomes of one payment rarely meet there.
    doubles: ["stripe"],
    edits: [["db/queries/payments/outcomes.ts", " and version = ${s.from.version}::int", ""]],
    tests: ["int", "lib/domain/payments/finish-operation.int.test.ts", "is written although the payment changed"],
  },
  {
    // Each of the two guards holds alone.
    name: "keys are not scoped to their environment",
    edits: [
      ["db/rights.ts", "to ${app} using (${owned}) with check (${owned})", "to ${app} using (true) with check (true)"],
      [
        "db/queries/idempotency/keys.ts",
        "where k.environment_id = $1 and k.key = $2`",
        "where $1::uuid is not null and k.key = $2 order by k.created_at`",
      ],
      [
        "db/queries/payments/intents.ts",
        "claimKey(sql, environmentId, claim)",
        "claimKey(sql, environmentId, claim, sql`not exists (select from idempotency_keys where key = ${claim.key})`)",
      ],
    ],
    tests: ["int", "lib/domain/payments/money-request.int.test.ts", "of another merchant is another key"],
  },
  {
    name: "replay before the permission check",
    edits: [
      ["lib/http/admission.ts", "  authorize(caller, endpoint);\n", ""],
      ["lib/http/admission.ts", /reauthorize = async \(\) => authorize\([^\n]*;\n/, "reauthorize = async () => {};\n"],
      ["lib/http/run-endpoint.ts", "import { findServed", 'import { authorize } from "./caller";\nimport { findServed'],
      [
        "lib/http/run-endpoint.ts",
        "    if (!reply.replayed) quota?.add",
        "    if (!reply.replayed) authorize(access.caller, endpoint);\n    if (!reply.replayed) quota?.add",
      ],
    ],
    tests: ["proof", "e2e/proof/keys.proof.ts", "never a stored response"],
  },
  {
    name: "one environment takes the last connection",
    edits: [["db/client.ts", "options.isWalled ? Math.max(1, max - 1) : max", "max"]],
    tests: ["int", "db/pool.int.test.ts", "never the last one"],
  },
  {
    name: "no second permission check after a wait",
    edits: [["lib/domain/idempotency/used-key.ts", "  await ctx.reauthorize();\n  const {", "  const {"]],
    tests: ["int", "lib/domain/payments/money-request.int.test.ts", "lost the permission in the meantime"],
  },
  {
    name: "the recovery worker authorizes again",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      [
        "lib/domain/payments/recover-operations.ts",
        "await inquireHeld(service, processor, operation, operation.id)",
        'await processor.authorize({ reference: operation.id, notAfter: new Date(Date.now() + 9_000), token: "" } as never)',
      ],
    ],
    tests: ["int", "lib/domain/payments/recover-operations.int.test.ts", "is never authorized again"],
  },
  {
    name: "one merchant's operations are recovered before all others",
    edits: [["lib/domain/payments/recover-operations.ts", "const RESERVED_SLOTS = 12;", "const RESERVED_SLOTS = 0;"]],
    tests: ["int", "lib/domain/payments/recovery-slots.int.test.ts", "another environment's only operation"],
  },
  {
    name: "environments without a slot come last",
    edits: [
      ["lib/domain/payments/recover-operations.ts", "of [1, SLOTS_PER_ENVIRONMENT]", "of [SLOTS_PER_ENVIRONMENT]"],
    ],
    tests: ["int", "lib/domain/payments/recovery-slots.int.test.ts", "an environment without a slot gets the next"],
  },
  {
    name: "operations of one payment are recovered in parallel",
    edits: [
      [
        "lib/domain/payments/recover-operations.ts",
        "return [...this.#running.keys()].map((operation) => operation.payment_id);",
        "return [];",
      ],
    ],
    tests: ["int", "lib/domain/payments/recovery-slots.int.test.ts", "operations of one payment never run in parallel"],
  },
  {
    name: "every repeat resends",
    simulation: true,
    edits: [
      ["db/queries/payments/operations.ts", " and may_resend\n    returning", "\n    returning"],
      ["lib/domain/payments/recover-operations.ts", "token !== null && taken.may_resend", "token !== null"],
    ],
    tests: ["int", "lib/domain/payments/resend.int.test.ts", "not again if the retry crashes, too"],
  },
  {
    name: "the first request sends although its repeat did",
    simulation: true,
    edits: [["db/queries/payments/operations.ts", "(may_resend and ${isOver", "(true and ${isOver"]],
    tests: ["int", "lib/domain/payments/resend.int.test.ts", "is no longer sent by the first request"],
  },
  {
    // No world notices: an operation abandoned too early is closed at the processor, so no late call can
    // charge it.
    name: "not found is conclusive immediately",
    edits: [
      [
        "lib/domain/payments/recover-operations.ts",
        ">= processor.notFoundConclusiveAfterMs",
        ">= 0 * processor.notFoundConclusiveAfterMs - 1e9",
      ],
    ],
    tests: ["int", "lib/domain/payments/recover-operations.int.test.ts", "is inconclusive"],
  },
  {
    name: "a key expires a second too late",
    simulation: true,
    edits: [
      [
        "db/queries/idempotency/keys.ts",
        "where k.created_at <= now() - interval '24 hours'\n",
        "where k.created_at <= now() - interval '24 hours 1 second'\n",
      ],
      [
        "db/queries/idempotency/keys.ts",
        "k.created_at <= now() - interval '24 hours' as expired",
        "k.created_at <= now() - interval '24 hours 1 second' as expired",
      ],
    ],
    tests: ["int", "lib/domain/payments/money-request.int.test.ts", "of 24 hours replays"],
  },
  {
    name: "a temporary refusal is stored",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      [
        "lib/domain/payments/money-request.ts",
        "  if (!error.stored) {\n    await releaseClaim(ctx);\n    throw error;\n  }\n",
        "",
      ],
    ],
    tests: ["int", "lib/domain/payments/refusals.int.test.ts", "that are temporary are not stored"],
  },
  {
    name: "a failed refund keeps its reservation",
    simulation: true,
    edits: [
      [
        "lib/domain/payments/outcome.ts",
        "withRefunded(snapshot, payment.amount_refunded, payment.refund_pending - refund.amount, now)",
        "withRefunded(snapshot, payment.amount_refunded, payment.refund_pending, now)",
      ],
    ],
    tests: ["int", "lib/domain/payments/finish-operation.int.test.ts", "releases its reservation"],
  },
  {
    name: "a session accepts two concurrent payments",
    simulation: true,
    edits: [
      [
        "db/queries/payments/intents.ts",
        "and status = 'OPEN' and open_payment_id is null and (select count(*) from token) = 1",
        "and status = 'OPEN' and (select count(*) from token) = 1",
      ],
    ],
    tests: ["int", "lib/http/checkout.int.test.ts", "many concurrent tabs that pay one session"],
  },
  {
    name: "a link that is switched off takes attempts",
    edits: [
      [
        "db/queries/payments/intents.ts",
        "and ${checksNoCard(sql, now)} and ${linkSells(sql, now)}\n          and ${paymentTokenId",
        "and ${checksNoCard(sql, now)}\n          and ${paymentTokenId",
      ],
    ],
    tests: ["int", "lib/domain/checkout/open-link.int.test.ts", "begins no attempt once it is switched off"],
  },
  {
    name: "a single-use link leaves the session that it replaces open",
    edits: [
      [
        "lib/domain/checkout/open-link.ts",
        'if (session && session.status === "OPEN") {',
        'if (session && session.status === "OPEN" && row === null) {',
      ],
    ],
    tests: ["int", "lib/domain/checkout/open-link.int.test.ts", "replaces a session that is over"],
  },
  {
    name: "a session with a payment in progress uses up a token",
    simulation: true,
    edits: [
      [
        "db/queries/payments/intents.ts",
        ", require_written(1 - (select count(*) from token) + (select count(*) from session))",
        "",
      ],
    ],
    tests: ["int", "lib/http/checkout-tokens.int.test.ts", "two tokens of one session"],
  },
  {
    name: "a paid session stays open",
    simulation: true,
    doubles: DOUBLES,
    edits: [
      [
        "lib/domain/payments/finish-operation.ts",
        "const paid = payment.status",
        "const paid = false && payment.status",
      ],
    ],
    tests: ["int", "lib/http/checkout.int.test.ts", "a card pays the session's amount"],
  },
  {
    name: "unlimited attempts",
    edits: [
      [
        "db/queries/payments/intents.ts",
        "attempts = attempts + ${paymentTokenId ? 0 : 1}::int",
        "attempts = attempts + 0",
      ],
    ],
    tests: ["int", "lib/http/checkout.int.test.ts", "five attempts"],
  },
  {
    name: "lost and stolen cards are disclosed to the shopper",
    edits: [
      [
        "lib/domain/checkout/pay-session.ts",
        'return (code && SHOWN_CODES[code]) ?? "card_declined";',
        'return (code as CheckoutFailure) ?? "card_declined";',
      ],
    ],
    tests: ["int", "lib/http/checkout.int.test.ts", "the shopper sees the outcome of card …9987"],
  },
  {
    name: "a refused attempt pays when it is resent",
    simulation: true,
    edits: [
      [
        "lib/domain/checkout/client-sessions.ts",
        'refusal.code === "invalid_state" && (row.open_payment_id !== null || isChecking(ctx, row))',
        "false",
      ],
    ],
    tests: ["int", "lib/http/checkout.int.test.ts", "pays nothing when it is resent"],
  },
  {
    name: "a shopper's card is stored without an agreement",
    edits: [
      ["lib/domain/checkout/offer.ts", "if (consent === null ||", "if (given === undefined || consent === null ||"],
    ],
    tests: ["int", "lib/domain/checkout/setup-sessions.int.test.ts", "takes no card without the shopper's agreement"],
  },
  {
    name: "a trial that the card has used is granted again",
    edits: [["lib/domain/checkout/billing.ts", "if (await isTrialUsed(runOf(ctx), row, keys))", "if (false)"]],
    tests: [
      "int",
      "lib/domain/checkout/subscribe-trial.int.test.ts",
      "that the card has used up is charged only after",
    ],
  },
  {
    name: "a card number in the name field is stored",
    edits: [["lib/contract/fields.ts", "(value) => !TWELVE_DIGITS.test(value)", "() => true"]],
    tests: ["unit", "lib/contract/checkout/checkout-attempt.test.ts", "which are stored, is rejected"],
  },
  {
    name: "a path is stored unmasked",
    edits: [["lib/http/request-parts.ts", "const masked = maskCardNumbers(readable);", "const masked = readable;"]],
    tests: ["unit", "lib/http/request-parts.test.ts", "a storable path has no card number"],
  },
  {
    name: "the first digits of a card number are stored as a token's prefix",
    edits: [
      [
        "lib/domain/idempotency/keepable-body.ts",
        "maskCardNumbers(body.payment_token).slice(",
        "body.payment_token.slice(",
      ],
    ],
    tests: ["unit", "lib/domain/idempotency/keepable-body.test.ts", "in place of a token is not stored"],
  },
  {
    name: "an outcome without an event",
    doubles: DOUBLES,
    edits: [
      [
        "db/queries/payments/outcomes.ts",
        /from \(values \$\{listed\(sql, events\)\}\) e\s*where \(select count\(\*\) from operation\) = 1/,
        "from (values ${listed(sql, events)}) e\n      where false",
      ],
    ],
    tests: ["int", "lib/domain/events/event.int.test.ts", "numbered without a gap"],
  },
  {
    name: "only the first of two events is written",
    edits: [["db/queries/payments/outcomes.ts", "${listed(sql, events)}", "${listed(sql, events.slice(0, 1))}"]],
    tests: ["int", "lib/domain/events/event.int.test.ts", "writes both or none"],
  },
  {
    name: "events are written without their outcome",
    edits: [
      [
        "db/queries/payments/outcomes.ts",
        /from \(values \$\{listed\(sql, events\)\}\) e\s*where \(select count\(\*\) from operation\) = 1/,
        "from (values ${listed(sql, events)}) e",
      ],
      ["db/queries/payments/outcomes.ts", "select require_written((select count(*) from operation))", "select 1"],
    ],
    tests: ["int", "lib/domain/events/event.int.test.ts", "writes both or none"],
  },
  {
    name: "a sequence number is used twice",
    doubles: DOUBLES,
    edits: [
      ["db/queries/payments/outcomes.ts", "event_sequence = event_sequence + ${eventCount}::int", "event_sequence = 1"],
    ],
    tests: ["int", "lib/domain/events/event.int.test.ts", "numbered without a gap"],
  },
  {
    name: "a charge does not count its events",
    edits: [
      [
        "db/queries/payments/outcomes.ts",
        "event_sequence = ${lastNumber(s, charge)}::int",
        "event_sequence = event_sequence",
      ],
    ],
    tests: ["int", "lib/domain/events/transaction-events.int.test.ts", "have events with what they changed"],
  },
  {
    name: "a read from before a charge's pending event is not stale",
    edits: [
      [
        "db/queries/payments/operations.ts",
        "update payments set version = version + 1",
        "update payments set version = version",
      ],
    ],
    tests: ["int", "lib/domain/events/transaction-events.int.test.ts", "is resent continues its sequence"],
  },
  {
    name: "a settled charge does not count its event",
    edits: [["db/queries/settlement/settle.ts", "then 1 else 0 end", "then 0 else 0 end"]],
    tests: ["int", "lib/domain/events/event.int.test.ts", "every type of the catalog is emitted"],
  },
  {
    name: "another clock's times are written",
    simulation: true,
    edits: [
      [
        "db/queries/payments/outcomes.ts",
        "        and ${payment.updated_at}::timestamptz - ${now} between interval '-1 minute' and interval '1 minute'\n",
        "",
      ],
    ],
    tests: ["int", "lib/domain/payments/other-clocks.int.test.ts", "finishes another's authorization"],
  },
  {
    name: "the machine's own clock is used",
    edits: [["lib/clock.ts", "return ahead === undefined ?", "return ahead !== Number.NaN ?"]],
    tests: ["int", "lib/domain/payments/other-clocks.int.test.ts", "does not affect what is written"],
  },
  {
    name: "a process that cannot read a token uses it up",
    edits: [
      [
        "lib/domain/payments/create-payment.ts",
        /if \(row\.processor_token !== ""\) at\.processor\.requireReadable[^;]*;/,
        "",
      ],
    ],
    tests: ["int", "lib/domain/checkout/use-payment-token.int.test.ts", "does not use it up"],
  },
  {
    name: "a token pays any amount",
    edits: [
      [
        "lib/domain/payments/create-payment.ts",
        "body.currency !== currency || body.amount !== amount",
        "body.currency !== currency",
      ],
    ],
    tests: ["int", "lib/http/checkout-tokens.int.test.ts", "no other price than its session's"],
  },
  {
    name: "a plan is paid at any price",
    edits: [["lib/domain/payments/create-payment.ts", " && prices.includes(body.amount)", ""]],
    tests: ["int", "lib/domain/payments/plan-prices.int.test.ts", "has the plan's price and currency"],
  },
  {
    name: "an operation is abandoned without being closed at the processor",
    simulation: true,
    edits: [
      [
        "lib/domain/payments/recover-operations.ts",
        "return closeAtProcessor(service, processor, operation);",
        'return { kind: "never" };',
      ],
    ],
    tests: ["int", "lib/domain/payments/recover-operations.int.test.ts", "if clocks were set forward and back"],
  },
  {
    name: "a closed reference can be charged",
    simulation: true,
    edits: [
      [
        "db/queries/sandbox/processor.ts",
        "    on conflict (reference) do nothing`;\n  const record = await findSandboxRecord(sql, reference);\n  return record?.account",
        "    on conflict (reference) do nothing`;\n  const record = await findSandboxRecord(sql, reference);\n  await sql`delete from sandbox_processor.charges where reference = ${reference}::uuid and behavior = ${CLOSED}`;\n  return record?.account",
      ],
    ],
    tests: ["int", "lib/processor/sandbox/port.int.test.ts", "before its call is never executed"],
  },
  {
    name: "a repeat resends a call that may be in flight",
    simulation: true,
    edits: [["lib/domain/payments/recover-operations.ts", "        isConclusive(processor, taken) &&\n", ""]],
    tests: ["int", "lib/domain/payments/resend.int.test.ts", "only has its status checked"],
  },
  {
    name: "test mode has no write quota",
    edits: [["lib/http/admission.ts", "writes(endpoint) ? takeSandboxWrite(caller) : null", "null"]],
    tests: ["int", "lib/http/sandbox-quota.int.test.ts", "small writes are limited by number"],
  },
  {
    name: "the quota counts no bytes",
    edits: [
      ["lib/http/respond.ts", "  limits.quota?.add(bodySize(call.request, input.body));\n", ""],
      ["lib/http/sandbox-quota.ts", "add: (size) => bytes.charge(key, size)", "add: () => {}"],
    ],
    tests: ["unit", "lib/http/sandbox-quota.test.ts", "bytes are counted afterwards"],
  },
  {
    name: "a verified address is not required",
    edits: [["lib/http/sandbox-quota.ts", "(verified ? verifiedQuota : unverifiedQuota)(key)", "verifiedQuota(key)"]],
    tests: ["unit", "lib/http/sandbox-quota.test.ts", "without a verified address"],
  },
  {
    name: "any account's test data may be removed",
    edits: [
      [
        "db/migrations/0000_cardlane.sql",
        "      and (owns_email or email_verified_at is not null or created_at > now() - interval '30 days'))",
        "      and false)",
      ],
    ],
    tests: ["int", "lib/domain/accounts/remove-abandoned-data.int.test.ts", "a verified address, a young account"],
  },
  {
    name: "the books may be removed",
    edits: [
      [
        "db/migrations/0000_cardlane.sql",
        "mode = 'test' and abandoned_at is not null) then\n    return old;",
        "mode = 'test') then\n    return old;",
      ],
    ],
    tests: ["int", "lib/domain/accounts/remove-abandoned-data.int.test.ts", "no role removes data that is not"],
  },
  {
    name: "cached totals survive the start of a payment",
    edits: [["lib/domain/payments/execute.ts", ".finally(() => forgetTotals(order.environment.id))", ""]],
    tests: ["int", "lib/domain/transactions/known-totals.int.test.ts", "before their outcome is known"],
  },
  {
    name: "cached totals survive an outcome",
    edits: [["lib/domain/payments/finish-operation.ts", "forgetTotals(operation.environmentId);", ""]],
    tests: ["int", "lib/domain/transactions/known-totals.int.test.ts", "before their outcome is known"],
  },
  {
    name: "a completed key replays its response to any request",
    doubles: DOUBLES,
    edits: [
      [
        "lib/domain/idempotency/used-key.ts",
        "row.expired || !(await requireKey(ctx).isSame(row.request_digest))) return null;",
        "row.expired) return null;",
      ],
    ],
    tests: ["int", "lib/domain/payments/money-request.int.test.ts", "with other parameters is refused"],
  },
  {
    name: "a response before its commit",
    doubles: DOUBLES,
    edits: [["lib/domain/payments/finish-operation.ts", "await writeOutcome(sql,", "void writeOutcome(sql,"]],
    tests: [
      "int",
      "lib/domain/payments/finish-operation.int.test.ts",
      "is discarded while another holds the operation",
    ],
  },
  {
    name: "an id is kept after the money has moved",
    edits: [
      ["e2e/doubles/other/processor.ts", '    await request.keep({ kind: "intent", id: created.id });\n', ""],
      [
        "e2e/doubles/other/processor.ts",
        "decisionOf(token, request));\n",
        'decisionOf(token, request));\n    await request.keep({ kind: "intent", id: created.id });\n',
      ],
    ],
    tests: ["int", "e2e/doubles/other/port.int.test.ts", "of an authorization: if `keep` fails"],
  },
  {
    name: "any process may keep an id",
    edits: [
      [
        "db/queries/payments/processor-objects.ts",
        /and state = 'open'\s*and epoch = \$\{operation\.epoch\}::int/,
        "and ${operation.epoch}::int > 0",
      ],
    ],
    tests: [
      "int",
      "lib/domain/payments/other-processor.int.test.ts",
      "stores no id, not even one that it stored before",
    ],
  },
  {
    name: "closing cancels nothing",
    edits: [
      ["e2e/doubles/other/processor.ts", "      await cancelIntent(sql, created.id);\n", ""],
      [
        "e2e/doubles/other/processor.ts",
        'is missing");\n      return intent.status === "canceled"',
        'is missing");\n      return intent.status === "created"',
      ],
    ],
    tests: ["int", "e2e/doubles/other/port.int.test.ts", "before its call is never executed"],
  },
  {
    name: "a report is trusted without a status check",
    doubles: DOUBLES,
    edits: [
      [
        "lib/domain/payments/process-reports.ts",
        /const outcome = await inquireProcessor\(service, processor, operation, snapshot[^;]*;\s*if \(outcome\.kind === "approved"\) return true;\s*if \(outcome\.kind !== "declined"\)\s*return leaveUnknown\([^;]*;/,
        "void [inquireProcessor, processor];",
      ],
    ],
    tests: ["int", "lib/domain/payments/other-processor.int.test.ts", "is not trusted"],
  },
  {
    name: "a new reference at a processor with ids of its own",
    edits: [
      [
        "lib/domain/payments/processor-calls.ts",
        "notAfter: new Date(operation.notAfter),\n    ...(await holderReference(service, processor, operation)),",
        "notAfter: new Date(operation.notAfter),\n    ...(await holderReference(service, processor, operation)),\n    ...(operation.epoch > 1 && { reference: crypto.randomUUID() }),",
      ],
    ],
    tests: ["int", "lib/domain/payments/other-processor.int.test.ts", "does a refund once, stopped after"],
  },
  {
    name: "a repeat's own refusal counts as the outcome",
    edits: [["lib/domain/payments/recover-operations.ts", "{ begunMs, call, close }", "{ begunMs, call }"]],
    tests: ["int", "lib/domain/payments/other-processor.int.test.ts", "of a replay whose own call was refused"],
  },
  {
    name: "a process that lost an operation reports it as pending",
    edits: [
      [
        "lib/domain/payments/finish-operation.ts",
        'return released ? { kind: "pending", accepted } : { kind: "lost" };',
        'void released;\n  return { kind: "pending", accepted };',
      ],
    ],
    tests: ["int", "lib/domain/payments/other-processor.int.test.ts", "stopped before the charge's id was stored"],
  },
  {
    name: "a processor's reports are accepted for another mode",
    edits: [
      [
        "lib/domain/payments/process-reports.ts",
        "if (environment?.mode !== from.mode) return null;",
        "if (!environment) return null;",
      ],
    ],
    tests: ["int", "lib/domain/payments/other-processor.int.test.ts", "or processor is acknowledged"],
  },
  {
    name: "a late approval is not reversed",
    edits: [
      [
        "lib/domain/payments/process-reports.ts",
        "if (!hasApproved(outcome)) return true;",
        "return !hasApproved(outcome) || true;",
      ],
    ],
    tests: ["int", "lib/domain/payments/late-approvals.int.test.ts", "is undone, once, of a payment that was declined"],
  },
  {
    name: "a late approval is reversed twice",
    edits: [["db/queries/payments/intents.ts", " and version = ${followUp.endedVersion}::int", ""]],
    tests: ["int", "lib/domain/payments/late-approvals.int.test.ts", "read the payment before another reversed it"],
  },
  {
    name: "a late approval that was captured is only released",
    edits: [
      [
        "lib/domain/payments/processor-calls.ts",
        "...(hasEndedUnpaid(payment.status) && { evenCaptured: true })",
        "evenCaptured: false as never",
      ],
    ],
    tests: ["int", "lib/domain/payments/late-approvals.int.test.ts", "is undone, once, of a payment that was declined"],
  },
  {
    name: "a challenge that is being abandoned counts as abandoned",
    edits: [
      [
        "lib/domain/payments/process-reports.ts",
        "if (!(await resolveInProgress(service, from, payment, report))) return false;",
        "if (!(await resolveInProgress(service, from, payment, report))) return true;",
      ],
    ],
    tests: ["int", "lib/domain/payments/late-approvals.int.test.ts", "at the moment when the challenge is abandoned"],
  },
  {
    name: "a report that changes a final state is acknowledged during a lease",
    edits: [
      ["lib/domain/payments/process-reports.ts", 'if ("insists" in report && report.insists)', 'if (report.id === "")'],
    ],
    tests: [
      "int",
      "e2e/doubles/adyen/notices.int.test.ts",
      "is redelivered if it undoes what that process may be writing",
    ],
  },
  {
    name: "a report accepted during a lease does not make its operation due",
    edits: [
      [
        "lib/domain/payments/process-reports.ts",
        "  return makeDue(sql, environmentId, id);",
        "  void makeDue;\n  return true;",
      ],
    ],
    tests: ["int", "e2e/doubles/adyen/notices.int.test.ts", "is due as soon as it is released"],
  },
  {
    name: "a report whose status could not be read is acknowledged",
    edits: [
      [
        "lib/domain/payments/process-reports.ts",
        'outcome.kind === "unknown" && outcome.final === true',
        'outcome.kind === "unknown"',
      ],
    ],
    tests: ["int", "e2e/doubles/adyen/notices.int.test.ts", "is redelivered, and a returned refund is not lost"],
  },
  {
    name: "an approval of another amount is not reversed",
    edits: [
      ["lib/domain/payments/process-reports.ts", '(outcome.kind === "declined" && outcome.holds === true)', "false"],
    ],
    tests: ["int", "e2e/doubles/adyen/late-approvals.int.test.ts", "after a challenge, which ends"],
  },
  {
    name: "a late capture failure is not looked up after a challenge",
    edits: [["lib/domain/payments/process-reports.ts", " && checkCapture(service, from, row);", ";"]],
    tests: ["int", "e2e/doubles/adyen/domain.int.test.ts", "captured immediately, after a challenge"],
  },
  {
    name: "a connection with an unreversed late approval can be disconnected",
    edits: [["db/queries/processors/connections.ts", " having not bool_or(o.state = 'succeeded')", " having false"]],
    tests: ["int", "e2e/doubles/adyen/late-approvals.int.test.ts", "before its connection can be disconnected"],
  },
  {
    name: "a request reports that nothing was charged without checking its key",
    edits: [
      ["lib/domain/payments/make-payment.ts", "isAway ? await replyFromMoneyKey(ctx) : null", "isAway ? null : null"],
    ],
    tests: ["int", "lib/domain/payments/money-request.int.test.ts", "gets its key's response"],
  },
  ...CONNECTOR_MUTANTS,
  ...SUBSCRIPTION_MUTANTS,
];
