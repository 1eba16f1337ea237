import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { ownChallengeOf, reportMessage } from "./processor";
import { answerOwnChallenge, applyDueNews, listNews, type News, noteDelivery } from "./store";

const newsId = () => `news_${randomUUID().replaceAll("-", "")}`;

/** Delay before an accepted refund is reversed, on the card whose refunds are. */
const RETURNS_AFTER_MS = 5_000;

/** The processor's own actions, triggered by tests. */
export function otherCompany(sql: Sql, returnsAfterMs = RETURNS_AFTER_MS) {
  async function apply(): Promise<void> {
    while (await applyDueNews(sql, newsId(), returnsAfterMs));
  }
  /** Makes all pending news of a kind due, for this account or for all. */
  async function hasten(about: News["about"], account?: string): Promise<void> {
    await sql`
      update other_processor.news set due_at = now() - interval '1 ms'
      where about = ${about} and applied_at is null and ${account === undefined ? sql`true` : sql`account = ${account}::uuid`}`;
    await apply();
  }
  return {
    /** Applies all news that is due. */
    apply,
    /** Decides all submitted movements immediately. */
    decide: (account?: string) => hasten("decision", account),
    /** Reverses the refunds that fail later, immediately. */
    giveBack: (account?: string) => hasten("return", account),
    /** Submits a shopper's challenge result on the processor's own page. */
    async answerChallenge(url: string, passed: boolean): Promise<void> {
      const intent = ownChallengeOf(url);
      if (intent === null) throw new Error(`${url} is no page of the processor's`);
      await answerOwnChallenge(sql, intent, passed, newsId());
    },
    /** News that was not acknowledged. */
    news: (account: string | null, limit = 1_000) => listNews(sql, limit, account),
    acknowledge: (id: string) => noteDelivery(sql, id, true),
  };
}

/** Pause between rounds, and max wait for a response to one message. */
const PAUSE_MS = 25;
const ANSWER_MS = 5_000;
/** Max news per message. */
const AT_ONCE = 5;

/**
 * Runs the company: decides what is due, and sends its reports to `address` until they are accepted, out of
 * order and some of them twice. `stop` waits for pending work.
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
      // Resend if the receiver is gone, for example after a crash.
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
