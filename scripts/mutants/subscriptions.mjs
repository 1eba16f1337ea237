// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits are pieces of code, as they stand in it.

/** Mutants of the billing engine, in the format of `list.mjs`. */
const domain = (file) => `lib/domain/subscriptions/${file}.ts`;
const LIFE = domain("life.int.test");
const CHANGES = domain("change-plan.int.test");
const RETRIES = domain("dunning.int.test");
const RACES = domain("races.int.test");
const PERIODS = domain("periods.test");
const DUNNING = domain("dunning.test");
const CLAIMS = "db/queries/subscriptions/claims.ts";
const INTENTS = "db/queries/payments/intents.ts";
const FORMS = "lib/domain/checkout/internal-sessions.int.test.ts";

export const SUBSCRIPTION_MUTANTS = [
  {
    name: "Billing: a period may have two invoices",
    edits: [
      ["db/migrations/0007_subscriptions.sql", "create unique index invoices_period", "create index invoices_period"],
    ],
    tests: ["int", RACES, "the database refuses a second invoice for a period"],
  },
  {
    name: "Billing: a period is counted from the last one",
    edits: [
      [
        domain("periods"),
        "return addInterval(anchorAt, timeZone, every, number - 1);",
        "let at = anchorAt;\n  for (let i = 1; i < number; i++) at = addInterval(at, timeZone, every);\n  return at;",
      ],
    ],
    tests: ["unit", PERIODS, "falls back to the last day of a shorter month, and returns"],
  },
  {
    name: "Billing: a renewal begins where the last period ends",
    edits: [
      [
        domain("advance"),
        "period: periodOf(calendar, number) }",
        "period: { ...periodOf({ ...calendar, anchorAt: row.period_end_at }, 1), number } }",
      ],
    ],
    tests: ["int", LIFE, "always counted from the anchor"],
  },
  {
    name: "Billing: a period begins twice",
    edits: [
      ["db/queries/subscriptions/rows.ts", " and r.due_at <= ${now}::timestamptz`", "`"],
      ["db/queries/subscriptions/rows.ts", "for update skip locked", "for update"],
    ],
    tests: ["int", RACES, "one invoice and one charge per period"],
  },
  {
    name: "Billing: attempts continue after a cancel",
    edits: [[domain("move"), "=== null ? voided(invoice, now) :", "=== null ? invoice :"]],
    tests: ["int", LIFE, "takes effect immediately, and nothing more is charged"],
  },
  {
    name: "Billing: an attempt that is about to begin wins against a pause",
    edits: [[CLAIMS, "(next_attempt_at is not null and exists (", "(exists ("]],
    tests: ["int", RACES, "wins against an attempt that is about to begin"],
  },
  {
    name: "Billing: two concurrent attempts",
    edits: [[CLAIMS, "and open_payment_id is null and attempts = ${claim.attempts}::int", ""]],
    tests: ["int", RACES, "of many concurrent retries and manual payments, one charges"],
  },
  {
    name: "Billing: an outcome after the end leaves the invoice open",
    edits: [
      [
        domain("apply-payment"),
        "invoice.change_on_payment !== null || hasEnded(subscription.status)",
        "invoice.change_on_payment !== null",
      ],
    ],
    tests: ["int", RACES, "a cancel during a payment voids the invoice if the payment is declined"],
  },
  {
    name: "Billing: one attempt too few",
    edits: [[domain("dunning"), "dunning_steps[step];", "dunning_steps[step + 1];"]],
    tests: ["unit", DUNNING, "is retried after 3, 5 and 7 days"],
  },
  {
    name: "Billing: manual attempts use up dunning steps",
    edits: [[domain("apply-payment"), "if (!invoice.open_is_automatic) return", "if (false) return"]],
    tests: ["int", RETRIES, "can be retried manually without using up a step"],
  },
  {
    name: "Billing: a stolen card is charged again",
    edits: [[domain("dunning"), '"stolen_card",', ""]],
    tests: ["int", RETRIES, "with a hard decline waits for a new card"],
  },
  {
    name: "Billing: invoice numbers have gaps",
    edits: [
      [
        "db/queries/subscriptions/rows.ts",
        "set last = c.last + ${count}::int",
        "set last = c.last + ${count}::int + 1",
      ],
    ],
    tests: ["int", RACES, "one invoice and one charge per period"],
  },
  {
    name: "Billing: a declined change takes effect",
    edits: [
      [
        domain("change-plan"),
        "const draft = { ...invoice, change_on_payment: change };",
        "const draft = { ...invoice, change_on_payment: null };",
      ],
    ],
    tests: ["int", CHANGES, "and a decline changes nothing"],
  },
  {
    name: "Billing: half a unit is rounded up",
    edits: [[domain("proration"), "(twice === denominator && whole % 2n === 1n)", "twice === denominator"]],
    tests: ["unit", domain("proration.test"), "halves are rounded to the even neighbor"],
  },
  {
    name: "Billing: a tagged address gets another trial",
    edits: [[domain("trial-keys"), "plus >= 0 && plus < at ?", "false ?"]],
    tests: ["unit", domain("trial-keys.test"), "a mailbox is the same in any case and with any plus tag"],
  },
  {
    name: "Billing: a resumed subscription keeps its old anchor",
    edits: [[domain("change"), "anchor_at: now,", "anchor_at: row.anchor_at,"]],
    tests: ["int", LIFE, "resuming begins a new period with a new anchor"],
  },
  {
    name: "Billing: a challenge that outlasts its subscription takes money",
    edits: [
      [INTENTS, "then 'abandoned' else ${followUp.detail} end", "then ${followUp.detail} else ${followUp.detail} end"],
    ],
    tests: ["int", FORMS, "a challenge passed after a cancel takes no money"],
  },
  {
    name: "Billing: a continued payment does not wait for a cancellation",
    edits: [[INTENTS, "\n    for share of s)", ")"]],
    tests: ["int", FORMS, "a challenge is passed after a cancellation that was being written"],
  },
];
