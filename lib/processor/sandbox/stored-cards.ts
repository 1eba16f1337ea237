import type { Sql } from "@/db/client";
import { insertSandboxRefusal } from "@/db/queries/sandbox/processor";
import {
  decideSandboxCheck,
  findSandboxStoredCard,
  insertSandboxCheck,
  removeSandboxStoredCard,
} from "@/db/queries/sandbox/stored-cards";
import { wasNotExecuted } from "@/db/unavailable";
import type { Clock, Timer } from "@/lib/clock";
import { SLOW_RESPONSE_MS } from "@/lib/contract/sandbox-cards";
import type { StoreCardOutcome, StoreCardRequest, StoredCard } from "../cards";
import type { Processor } from "../port";
import { type CardInUse, decideAuthorization } from "./checks";
import type { SandboxVault } from "./token";

const PREFIX = "sbc_";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A stored card's token names the check or charge that stored it. */
export const storedTokenOf = (reference: string): string => PREFIX + reference;

function referenceOf(token: string): string | null {
  const reference = token.startsWith(PREFIX) ? token.slice(PREFIX.length) : "";
  return UUID.test(reference) ? reference : null;
}

/** A customer's stored card, with its reference; null if it was removed or never stored. */
export async function findStoredCard(
  sql: Sql,
  account: string,
  { token, customer }: StoredCard,
): Promise<(CardInUse & { reference: string }) | null> {
  const reference = referenceOf(token);
  const card = reference && (await findSandboxStoredCard(sql, { reference, account, customer }));
  if (!reference || !card) return null;
  const { behavior, fingerprint, exp_month: expMonth, exp_year: expYear } = card;
  return { reference, behavior, fingerprint, expMonth, expYear };
}

type Parts = {
  vault: SandboxVault;
  clock: Clock;
  timer: Timer;
  sqlFor(account: string): Sql;
  reach<T>(call: () => Promise<T>): Promise<T>;
};

/** The port's calls that store and remove cards. */
export function createCardStore({ vault, clock, timer, sqlFor, reach }: Parts) {
  async function check(card: CardInUse, request: StoreCardRequest): Promise<StoreCardOutcome> {
    const { reference, account, customer } = request;
    const { behavior, fingerprint, expMonth, expYear } = card;
    const own = sqlFor(account);
    if (behavior === "refuse_once" && (await insertSandboxRefusal(own, reference, account))) {
      return { kind: "not_sent", reason: "the processor refused the first attempt before executing it" };
    }
    const decision = decideAuthorization(card, "customer", request.now ?? clock.now());
    const row = { reference, account, customer, behavior, fingerprint, expMonth, expYear, ...decision };
    const record = await insertSandboxCheck(own, row);
    if (record.account !== account || record.customer !== customer) {
      return { kind: "not_sent", reason: "the reference belongs to another customer" };
    }
    if (record.fresh && behavior === "slow") await timer.wait(SLOW_RESPONSE_MS);
    if (record.fresh && behavior === "lost_answer") return { kind: "unknown", reason: "the connection was lost" };
    return outcomeOf(record, request);
  }

  return {
    async storeCard(request) {
      const card = vault.read(request.account, request.token);
      if (card === null) return { kind: "declined", decline_code: "processing_error" };
      if (card.behavior === "garbage") return { kind: "unknown", reason: "the processor's response cannot be read" };
      try {
        return await reach(() => check(card, request));
      } catch (error) {
        if (wasNotExecuted(error)) return { kind: "not_sent", reason: "the processor cannot be reached" };
        throw error;
      }
    },

    async continueStoring(request) {
      const { pending, account, customer } = request;
      const passed = request.challenge === "passed";
      const named = { reference: pending, account, customer, passed };
      const record = await reach(() => decideSandboxCheck(sqlFor(account), named));
      return record ? outcomeOf(record, request) : { kind: "declined", decline_code: null };
    },

    async removeCard(account, { token, customer }) {
      const reference = referenceOf(token);
      if (reference) await reach(() => removeSandboxStoredCard(sqlFor(account), { reference, account, customer }));
    },
  } satisfies Partial<Processor>;
}

function outcomeOf(
  record: Pick<
    Awaited<ReturnType<typeof insertSandboxCheck>>,
    "reference" | "fingerprint" | "outcome" | "decline_code"
  >,
  { challengePage }: Pick<StoreCardRequest, "challengePage">,
): StoreCardOutcome {
  switch (record.outcome) {
    case "approved":
      return { kind: "stored", token: storedTokenOf(record.reference), fingerprint: record.fingerprint };
    case "action_required":
      return { kind: "action_required", challenge: { url: challengePage }, pending: record.reference };
    case "declined":
      return { kind: "declined", decline_code: record.decline_code };
    default:
      return record.outcome satisfies never;
  }
}
