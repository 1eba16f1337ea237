import type { Sql } from "@/db/client";
import { systemTimer } from "@/lib/clock";
import { testDatabase } from "../../fixtures/database";
import { type ProcessorUnderTest, testCard } from "../../port-suite/calls";
import { portSuite } from "../../port-suite/suite";
import { otherCompany } from "./company";
import { createOtherProcessor, type OtherOptions, reportMessage } from "./processor";
import { createOtherStore } from "./store";

const { db } = await testDatabase({ own: true, max: 20 });
await createOtherStore(db.sql);

function underTest(sql: Sql, options: Pick<OtherOptions, "partialCapture" | "challenges">): ProcessorUnderTest {
  const company = otherCompany(sql);
  return {
    processor: createOtherProcessor({ sql, timer: systemTimer, decidesAfterMs: 60_000, ...options }),
    cards: {
      approved: testCard("4242424242424242"),
      declined: testCard("4000000000009995"),
      challenged: testCard("4000000000003220"),
      refundComesBack: testCard("4000000000005126"),
    },
    async money(reference) {
      const [row] = await sql<{ captured: number; refunded: number; voided: boolean }[]>`
        select amount_captured as captured, amount_refunded as refunded, voided from other_processor.intents
        where reference = ${reference}::uuid and status <> 'created'`;
      return row ?? null;
    },
    decide: (account) => company.decide(account),
    giveBack: (account) => company.giveBack(account),
    answerChallenge: async (url, passed) =>
      options.challenges === "its own page" ? company.answerChallenge(url, passed) : undefined,
    messages: async (account) => (await company.news(account)).map((one) => reportMessage([one])),
    unusedCards: {
      count: async () => (await sql`select 1 from other_processor.tokens`).length,
      age: async () => void (await sql`update other_processor.tokens set created_at = now() - interval '1 day'`),
    },
    recordsFirst: true,
  };
}

portSuite("parts, and challenges on our page", underTest(db.sql, { partialCapture: true, challenges: "our page" }));
portSuite(
  "the whole only, and challenges on a page of its own",
  underTest(db.sql, { partialCapture: false, challenges: "its own page" }),
);
