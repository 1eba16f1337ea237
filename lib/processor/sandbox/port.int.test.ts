import { testProcessor } from "@/e2e/fixtures/sandbox-processor";
import { testCard } from "@/e2e/port-suite/calls";
import { portSuite } from "@/e2e/port-suite/suite";
import { BEFORE_ALL } from "@/lib/ids";

const { processor, sql } = await testProcessor();

portSuite("the sandbox", {
  processor,
  cards: {
    approved: testCard("4242424242424242"),
    declined: testCard("4000000000009995"),
    challenged: testCard("4000000000003220"),
    refundComesBack: testCard("4000000000005126"),
  },
  async money(reference) {
    const [row] = await sql<{ captured: number; refunded: number; voided: boolean }[]>`
      select amount_captured as captured, amount_refunded as refunded, voided from sandbox_processor.charges
      where reference = ${reference}`;
    return row ?? null;
  },
  // The sandbox decides immediately, and its challenges are on our own page.
  decide: async () => {},
  answerChallenge: async () => {},
  messages: async () => [],
  async giveBack(account) {
    await sql`update sandbox_processor.reports set due_at = now() - interval '1 ms' where account = ${account}`;
    // The sandbox acts on the clock when its reports are listed.
    if (processor.reports.kind === "pulled") await processor.reports.list(1, BEFORE_ALL);
  },
  unusedCards: {
    count: async () => (await sql`select 1 from sandbox_processor.recent_attempts`).length,
    age: async () =>
      void (await sql`update sandbox_processor.recent_attempts set at = at - interval '1 hour', created_at = created_at - interval '1 hour'`),
  },
  recordsFirst: true,
});
