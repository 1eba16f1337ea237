import type { Sql } from "@/db/client";
import { actOnSandboxDisputes, nextSandboxDispute } from "@/db/queries/sandbox/disputes";
import {
  closeSandboxReference,
  findSandboxRecord,
  insertSandboxCharge,
  insertSandboxContinuation,
  insertSandboxFollowUp,
  insertSandboxRefusal,
  removeOldSandboxAttempts,
  type SandboxRecord,
  type SandboxRefusal,
} from "@/db/queries/sandbox/processor";
import {
  acknowledgeSandboxReport,
  deleteOldSandboxNotes,
  failDueSandboxRefunds,
  listSandboxReports,
} from "@/db/queries/sandbox/reports";
import { inQueueOf } from "@/db/statements";
import { wasNotExecuted } from "@/db/unavailable";
import { type Clock, systemClock, systemTimer, type Timer } from "@/lib/clock";
import type { BillingAddress } from "@/lib/contract/fields";
import { APPROVED_MERCHANT_CHARGES, SLOW_RESPONSE_MS } from "@/lib/contract/sandbox-cards";
import type { Secret } from "@/lib/secret";
import type { AuthorizeRequest, Checks, Inquiry, Outcome, Processor, VoidRequest } from "./port";
import { assessFraud, type CardInUse, decideAuthorization, verifyAddress, verifySecurityCode } from "./sandbox/checks";
import { acknowledgeDisputeReport, createDisputeDesk, listDisputeReports } from "./sandbox/disputes";
import { createCardStore, findStoredCard, storedTokenOf } from "./sandbox/stored-cards";
import { createVault, type SandboxVault } from "./sandbox/token";

export type SandboxOptions = {
  /** Connection from `connectSandboxStore`. */
  sql: Sql;
  /** Keys the seals and digests; the same on every instance. */
  secret: Secret;
  clock?: Clock;
  timer?: Timer;
};

/** Retry budget for a request that can't reach the store, and the pause between attempts. */
const REACH_WITHIN_MS = 2_000;
const REACH_PAUSE_MS = 200;
/** Max reports of one account in one list. */
const REPORTS_OF_ONE = 10;
/** Max disputes of one account that a bank opens or decides in one call. */
const ACTS_AT_ONCE = 100;

/**
 * The simulated processor of test mode: every card of `lib/contract/sandbox-cards.ts` behaves as described
 * there.
 */
export function createSandboxProcessor({
  sql,
  secret,
  clock = systemClock,
  timer = systemTimer,
}: SandboxOptions): Processor {
  const vault = createVault(secret);
  /** Each account has a queue of its own, so that none delays another. */
  const sqlFor = (account: string) => inQueueOf(sql, account);

  /**
   * Behaves like an HTTP client whose connection is refused: nothing
   * was sent, so retrying is safe. Throws permanent failures.
   */
  async function reach<T>(call: () => Promise<T>): Promise<T> {
    const giveUpAt = timer.elapsedMs() + REACH_WITHIN_MS;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!wasNotExecuted(error) || timer.elapsedMs() > giveUpAt) throw error;
        await timer.wait(REACH_PAUSE_MS);
      }
    }
  }

  async function authorize(request: AuthorizeRequest): Promise<Outcome> {
    const { reference, account, token, stored } = request;
    const own = sqlFor(account);
    const find = () => (stored ? findStoredCard(own, account, { ...stored, token }) : vault.read(account, token));
    const card = await find();
    if (card === null) {
      const record = stored ? await findSandboxRecord(own, reference) : null;
      if (record?.account === account) return outcomeOf(record, request);
      return stored ? NOT_STORED : { kind: "declined", decline_code: "processing_error" };
    }
    if (card.behavior === "garbage") return { kind: "unknown", reason: "the processor's response cannot be read" };
    if (card.behavior === "refuse_once" && (await insertSandboxRefusal(own, reference, account))) {
      return { kind: "not_sent", reason: "the processor refused the first attempt before executing it" };
    }
    const record = await insertSandboxCharge(own, newCharge(vault, card, request, request.now ?? clock.now()));
    // The card may have been removed since it was found.
    if ("refused" in record && stored && (await find()) === null) return NOT_STORED;
    if (!("refused" in record) && record.fresh) {
      if (card.behavior === "slow") await timer.wait(SLOW_RESPONSE_MS);
      if (card.behavior === "lost_answer") return { kind: "unknown", reason: "the connection was lost" };
    }
    return outcomeOf(record, request);
  }

  async function follow(kind: "capture" | "void" | "refund", request: VoidRequest) {
    const followUp = { kind, charge: request.authorization, ...request, now: request.now ?? clock.now() };
    return outcomeOf(await insertSandboxFollowUp(sqlFor(request.account), followUp), request);
  }

  return {
    name: "sandbox",
    capabilities: { partialCapture: true, rawCards: true, ownIds: false, ownTokens: false, storedCards: true },
    notFoundConclusiveAfterMs: 2_000,

    tokenize: (account, card) => vault.tokenize(account, card),
    requireReadable: (token) => void vault.open(token),

    async authorize(request) {
      try {
        return await reach(() => authorize(request));
      } catch (error) {
        // Captures, voids and refunds are retried later, but the card of an authorization is only available
        // now.
        if (wasNotExecuted(error)) return { kind: "not_sent", reason: "the processor cannot be reached" };
        throw error;
      }
    },

    continueAuthorization: (request) => {
      const continuation = { ...request, charge: request.authorization, passed: request.challenge === "passed" };
      return reach(async () =>
        outcomeOf(await insertSandboxContinuation(sqlFor(request.account), continuation), request),
      );
    },
    ...createCardStore({ vault, clock, timer, sqlFor, reach }),
    ...createDisputeDesk({ sql, clock, sqlFor, reach }),
    capture: (request) => reach(() => follow("capture", request)),
    void: (request) => reach(() => follow("void", request)),
    refund: (request) => reach(() => follow("refund", request)),

    async inquire(request) {
      const record = await findSandboxRecord(sql, request.reference);
      return record === null ? { kind: "not_found" } : inquiryOf(record, request);
    },

    async close(request) {
      const record = await closeSandboxReference(sqlFor(request.account), request);
      return record === null
        ? { kind: "unknown", reason: "the reference belongs to another account" }
        : inquiryOf(record, request);
    },

    reports: {
      kind: "pulled",
      async list(limit, after) {
        const page = { after, share: REPORTS_OF_ONE, limit };
        await failDueSandboxRefunds(sql, page);
        await actOnSandboxDisputes(sql, limit);
        const reports = await listSandboxReports(sql, page);
        const refunds = reports.map(({ reference, account }) => ({ id: reference, reference, account }));
        const disputes = await listDisputeReports(sql, limit, { after });
        return [...refunds, ...disputes].sort((a, b) => (a.account < b.account ? -1 : 1)).slice(0, limit);
      },
      simulation: {
        async act(account, now) {
          await actOnSandboxDisputes(sql, ACTS_AT_ONCE, { account, now });
          return listDisputeReports(sql, ACTS_AT_ONCE, { account });
        },
        nextAct: (account, after) => nextSandboxDispute(sql, account, after),
      },
      async acknowledge(id) {
        if (!(await acknowledgeDisputeReport(sql, id))) await acknowledgeSandboxReport(sql, id);
      },
    },

    async forgetOldAttempts() {
      return (await removeOldSandboxAttempts(sql)) + (await deleteOldSandboxNotes(sql, 5_000));
    },
  };
}

const NOT_STORED: Outcome = {
  kind: "declined",
  decline_code: null,
  refusal: "The card is not stored at the processor, or no longer.",
};

type Found = CardInUse & { reference?: string };

function newCharge(vault: SandboxVault, card: Found, request: AuthorizeRequest, now: Date) {
  const { behavior, fingerprint, expMonth, expYear, reference } = card;
  const { store, stored } = request;
  const email = request.customerEmail?.toLowerCase() ?? null;
  const address = addressText(request.billingAddress);
  const byMerchant = stored?.initiator === "merchant";
  const approvals = byMerchant && behavior === "merchant_declines_later" ? APPROVED_MERCHANT_CHARGES : null;
  return {
    reference: request.reference,
    account: request.account,
    notAfter: request.notAfter,
    amount: request.amount,
    currency: request.currency,
    captureAtOnce: request.capture,
    behavior,
    now,
    ...decideAuthorization(card, stored?.initiator ?? "customer", now),
    avsResult: verifyAddress(behavior, request.billingAddress),
    cvvResult: stored ? ("P" as const) : verifySecurityCode(behavior),
    cardDigest: fingerprint,
    emailDigest: email && vault.digest("email", request.account, email),
    addressDigest: address && vault.digest("address", request.account, address),
    store: store ? { customer: store.customer, expMonth, expYear } : null,
    stored: reference === undefined ? null : { reference, byMerchant, approvals },
  };
}

/** Normalizes an address, however it was typed; null if it has no street and no postal code. */
function addressText(address: BillingAddress | null): string | null {
  if (!address || (address.line1 === null && address.postal_code === null)) return null;
  return [address.line1, address.line2, address.postal_code, address.country]
    .map((part) => (part ?? "").toLowerCase().replace(/\s+/g, ""))
    .join("\n");
}

/** Shoppers pass the sandbox's challenges on the page that other processors return them to. */
type WithChallenge = Pick<AuthorizeRequest, "challengePage">;

function inquiryOf(record: SandboxRecord, request: WithChallenge): Inquiry {
  return record.closed ? { kind: "never" } : outcomeOf(record, request);
}

function outcomeOf(record: SandboxRecord | SandboxRefusal, { challengePage }: WithChallenge): Outcome {
  if ("refused" in record) {
    switch (record.refused) {
      case "late":
        return { kind: "not_sent", reason: "the request arrived after its deadline" };
      case "foreign":
        return { kind: "not_sent", reason: "the reference belongs to another account" };
      case "no_charge":
        return { kind: "declined", decline_code: null };
      default:
        return record.refused satisfies never;
    }
  }
  if (record.closed) return { kind: "not_sent", reason: "the reference was closed before the request came" };
  const checks = checksOf(record);
  switch (record.outcome) {
    case "approved":
      return {
        kind: "approved",
        ...(checks && { checks }),
        ...(record.capture_failed && { captured: false }),
        ...(record.stored_card && {
          storedToken: storedTokenOf(record.stored_card.reference),
          fingerprint: record.stored_card.fingerprint,
        }),
      };
    case "action_required":
      return { kind: "action_required", challenge: { url: challengePage }, ...(checks && { checks }) };
    case "declined":
      return { kind: "declined", decline_code: record.decline_code, ...(checks && { checks }) };
    case "failed":
      return { kind: "declined", decline_code: null };
    default:
      return record.outcome satisfies never;
  }
}

function checksOf(record: SandboxRecord): Checks | null {
  const { avs_result, cvv_result } = record;
  if (!avs_result || !cvv_result) return null;
  const known_fraud = record.decline_code === "fraud_suspected";
  return { avs_result, cvv_result, ...assessFraud({ ...record, avs_result, cvv_result, known_fraud }) };
}
