import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { ownChallengeOf, reportMessage } from "./processor";
import { answerOwnChallenge, applyDueNews, listNews, type News, noteDelivery } from "./store";

const newsId = () => `news_${randomUUID().replaceAll("-", "")}`;

/** How soon an accepted refund comes back on the card whose refunds do. */
const RETURNS_AFTER_MS = 5_000;

/** What the processor does by itself, whenever a test says so. */
export function otherCompany(sql: Sql, returnsAfterMs = RETURNS_AFTER_MS) {
  async function apply(): Promise<void> {
    while (await applyDueNews(sql, newsId(), returnsAfterMs));
  }
  /** Lets the time pass that it takes for all news of a kind, of this account or of all. */
  async function hasten(about: News["about"], account?: string): Promise<void> {
    await sql`
      update other_processor.news set due_at = now()
      where about = ${about} and applied_at is null and ${account === undefined ? sql`true` : sql`account = ${account}::uuid`}`;
    await apply();
  }
  return {
    /** What is due by the clock. */
    apply,
    /** All that is submitted is decided now. */
    decide: (account?: string) => hasten("decision", account),
    /** The refunds that are to come back do so now. */
    giveBack: (account?: string) => hasten("return", account),
    /** A shopper answers a challenge on the processor's own page. */
    async answerChallenge(url: string, passed: boolean): Promise<void> {
      const intent = ownChallengeOf(url);
      if (intent === null) throw new Error(`${url} is no page of the processor's`);
      await answerOwnChallenge(sql, intent, passed, newsId());
    },
    /** What nobody has confirmed to have heard of. */
    news: (account: string | null, limit = 1_000) => listNews(sql, limit, account),
    acknowledge: (id: string) => noteDelivery(sql, id, true),
  };
}

/** How long it waits for something to happen, and one message at most for an answer. */
const PAUSE_MS = 25;
const ANSWER_MS = 5_000;
/** What it puts into one message. */
const AT_ONCE = 5;

/**
 * The company at work: decides what is due, and sends its reports to `address` until they are answered well, in no order, some
 * of them twice. `stop` waits for what is under way.
 */
export function runOtherCompany(
  sql: Sql,
  address: () => string,
  returnsAfterMs = RETURNS_AFTER_MS,
): { stop(): Promise<void> } {
  const company = otherCompany(sql, returnsAfterMs);
  let stopped = false;
  async function deliver(batch: readonly News[]): Promise<void> {
    const { headers, body } = reportMessage(batch);
    const signal = AbortSignal.timeout(ANSWER_MS);
    const arrived = await fetch(address(), { method: "POST", headers, body, signal }).then(
      ({ ok }) => ok,
      // Whoever is to hear it is gone, as after a crash: it is sent again.
      () => false,
    );
    for (const { id } of batch) await noteDelivery(sql, id, arrived);
  }
  const working = (async () => {
    while (!stopped) {
      await company.apply();
      const news = await company.news(null, 4 * AT_ONCE);
      const batches = Array.from({ length: Math.ceil(news.length / AT_ONCE) }, (_, i) =>
        news.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
      );
      await Promise.all([...batches, ...batches.slice(0, 1)].map(deliver));
      await wait(PAUSE_MS);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await working;
    },
  };
}
