import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { Sql } from "@/db/client";
import { systemTimer, type Timer } from "@/lib/clock";
import { cardBrand } from "@/lib/contract/card-networks";
import { SANDBOX_CARDS, type SandboxBehavior, SLOW_RESPONSE_MS } from "@/lib/contract/sandbox-cards";
import {
  type AuthorizeRequest,
  type Checks,
  type ContinueRequest,
  type FollowUpRequest,
  type InquireRequest,
  type Inquiry,
  type Outcome,
  type Processor,
  UnreadableReportError,
  type VoidRequest,
} from "@/lib/processor/port";
import { assessFraud, isExpired, verifyAddress, verifySecurityCode } from "@/lib/processor/sandbox/checks";
import {
  cancelIntent,
  confirmIntent,
  createIntent,
  createMovement,
  findIntent,
  findMovement,
  findToken,
  forgetOldTokens,
  type Intent,
  insertRefusal,
  insertToken,
  type Movement,
  submitContinuation,
  submitMovement,
  type Token,
} from "./store";

export type OtherOptions = {
  /** A connection to the store that `createOtherStore` created. */
  sql: Sql;
  timer?: Timer;
  /** Allows partial captures. */
  partialCapture?: boolean;
  /** The challenge page: the processor's own, or the one of ours that each call names. */
  challenges?: "its own page" | "our page";
  /** Delay before a capture or refund is decided. */
  decidesAfterMs?: number;
};

/** Base URL of its own challenge pages. */
const OWN_PAGES = "https://pages.other-processor.example/challenges/";
const SIGNATURE = "x-other-signature";
const SECRET = "what the other processor signs its reports with";
const BEHAVIORS = new Map(SANDBOX_CARDS.map((card) => [card.number, card.behavior]));

const newIdOf = (kind: "intent" | "movement" | "token" | "news") => `${kind}_${randomUUID().replaceAll("-", "")}`;

/**
 * A processor that is the opposite of the sandbox: it assigns its own ids and finds charges only by them,
 * creates objects before confirming them, decides captures and refunds later and reports them itself, and has
 * no deadline for execution: only canceling prevents it. Cards behave like the sandbox's.
 */
export function createOtherProcessor(options: OtherOptions): Processor {
  const { sql, timer = systemTimer, partialCapture = true, challenges = "our page", decidesAfterMs = 50 } = options;

  const outcomeOfIntent = (intent: Intent, { challengePage }: { challengePage: string }): Outcome => {
    const url = challenges === "our page" ? challengePage : OWN_PAGES + intent.id;
    return intentOutcome(intent, url);
  };
  const outcomeOfMovement = (movement: Movement, { challengePage }: { challengePage: string }): Outcome => {
    const url = challenges === "our page" ? challengePage : OWN_PAGES + movement.intent;
    return movementOutcome(movement, url);
  };

  async function authorize(request: AuthorizeRequest): Promise<Outcome> {
    const { reference, account, amount, currency } = request;
    const token = await findToken(sql, request.token, account);
    if (!token) return { kind: "declined", decline_code: "processing_error" };
    if (token.behavior === "refuse_once" && (await insertRefusal(sql, reference))) {
      return { kind: "not_sent", reason: "the processor refused the first attempt before executing it" };
    }
    const created = await createIntent(sql, { id: newIdOf("intent"), reference, account, amount, currency });
    if (created.account !== account) return { kind: "not_sent", reason: "the reference belongs to another account" };
    await request.keep({ kind: "intent", id: created.id });
    if (token.behavior === "garbage") return { kind: "unknown", reason: "the processor's response cannot be read" };
    const { intent, fresh } = await confirmIntent(sql, created.id, decisionOf(token, request));
    if (fresh && token.behavior === "slow") await timer.wait(SLOW_RESPONSE_MS);
    if (fresh && token.behavior === "lost_answer") return { kind: "unknown", reason: "the connection was lost" };
    return outcomeOfIntent(intent, request);
  }

  /** Null: the account has no charge with the kept id, or the reference belongs to another account. */
  async function create(
    request: FollowUpRequest | ContinueRequest,
    kind: Movement["kind"],
    money: Pick<FollowUpRequest, "amount" | "currency"> | { amount: null; currency: null },
  ): Promise<Movement | null> {
    const { reference, account } = request;
    const charge = request.objects.find((object) => object.kind === "intent");
    if (!charge) return null;
    const movement = await createMovement(sql, charge.id, {
      id: newIdOf("movement"),
      reference,
      account,
      kind,
      ...money,
    });
    if (movement) await request.keep({ kind, id: movement.id });
    return movement;
  }

  async function follow(kind: "capture" | "void" | "refund", request: VoidRequest): Promise<Outcome> {
    const { amount, currency, evenCaptured = false } = request;
    const movement = await create(request, kind, { amount, currency });
    if (!movement) return { kind: "declined", decline_code: null };
    const terms = { newsId: newIdOf("news"), afterMs: decidesAfterMs, wholeOnly: !partialCapture, evenCaptured };
    return outcomeOfMovement(await submitMovement(sql, movement.id, terms), request);
  }

  /** On the processor's own page the shopper decides; our only option is to abandon the challenge. */
  const passed = ({ challenge }: ContinueRequest) =>
    challenges === "our page" ? challenge === "passed" : challenge === "abandoned" ? false : null;

  return {
    name: "other",
    capabilities: { partialCapture, rawCards: true, ownIds: true, ownTokens: false, storedCards: false },
    notFoundConclusiveAfterMs: 1_000,

    async tokenize(account, card) {
      const token = newIdOf("token");
      const { exp_month, exp_year } = card;
      const behavior = BEHAVIORS.get(card.number) ?? "decline:generic_decline";
      await insertToken(sql, { token, account, behavior, exp_month, exp_year });
      const [bin, last4] = [card.number.slice(0, 6), card.number.slice(-4)];
      return { token, brand: cardBrand(card.number), bin, last4, exp_month, exp_year };
    },
    requireReadable: () => {},
    authorize,

    async continueAuthorization(request) {
      const movement = await create(request, "continue", { amount: null, currency: null });
      if (!movement) return { kind: "declined", decline_code: null };
      return outcomeOfMovement(await submitContinuation(sql, movement.id, passed(request)), request);
    },
    capture: (request) => follow("capture", request),
    void: (request) => follow("void", request),
    refund: (request) => follow("refund", request),

    async inquire(request: InquireRequest): Promise<Inquiry> {
      if (request.kind !== "authorize") {
        const movement = await findMovement(sql, request.reference);
        if (!movement || movement.outcome === "created") return { kind: "not_found" };
        return outcomeOfMovement(movement, request);
      }
      const intent = await findIntent(sql, request.reference);
      if (!intent || intent.status === "created") return { kind: "not_found" };
      return intent.status === "canceled" ? { kind: "never" } : outcomeOfIntent(intent, request);
    },

    async close(request) {
      const { reference, account, amount, currency } = request;
      // Later calls with this reference find this intent, which is then canceled.
      const created = await createIntent(sql, { id: newIdOf("intent"), reference, account, amount, currency });
      if (created.account !== account) return { kind: "unknown", reason: "the reference belongs to another account" };
      await cancelIntent(sql, created.id);
      const intent = await findIntent(sql, reference);
      if (!intent) throw new Error("the created intent is missing");
      return intent.status === "canceled" ? { kind: "never" } : outcomeOfIntent(intent, request);
    },

    reports: { kind: "pushed", read: readReports },
    forgetOldAttempts: () => forgetOldTokens(sql),
  };
}

/** The intent of a challenge on the processor's own page; null for any other URL. */
export const ownChallengeOf = (url: string): string | null =>
  url.startsWith(OWN_PAGES) ? url.slice(OWN_PAGES.length) : null;

/** A signed report message, as sent to our URL. */
export function reportMessage(news: readonly { id: string; object: string }[]): { headers: Headers; body: string } {
  const body = JSON.stringify({ news: news.map(({ id, object }) => ({ id, object })) });
  return { headers: new Headers({ "Content-Type": "application/json", [SIGNATURE]: signatureOf(body) }), body };
}

const signatureOf = (body: string) => createHmac("sha256", SECRET).update(body).digest("hex");

function readReports({ headers, body }: { readonly headers: Headers; readonly body: string }) {
  const given = Buffer.from(headers.get(SIGNATURE) ?? "");
  const right = Buffer.from(signatureOf(body));
  if (given.length !== right.length || !timingSafeEqual(given, right))
    throw new UnreadableReportError("its signature is not the processor's");
  const { news } = JSON.parse(body) as { news: { id: string; object: string }[] };
  return news;
}

function decisionOf(token: Token, request: AuthorizeRequest) {
  const { behavior } = token;
  const code = isExpired(token.exp_month, token.exp_year, new Date()) ? "expired_card" : declineCodeOf(behavior);
  const status = code !== null ? "declined" : behavior === "challenge" ? "action_required" : "approved";
  const captures = request.capture && status === "approved" && behavior !== "capture_fails";
  return {
    status,
    behavior,
    decline_code: code,
    capture_at_once: request.capture,
    avs_result: verifyAddress(behavior, request.billingAddress),
    cvv_result: verifySecurityCode(behavior),
    captured: captures ? request.amount : 0,
  } as const;
}

function declineCodeOf(behavior: SandboxBehavior): Intent["decline_code"] {
  return behavior.startsWith("decline:") ? (behavior.slice("decline:".length) as Intent["decline_code"]) : null;
}

function intentOutcome(intent: Intent, url: string): Outcome {
  const checks = checksOf(intent);
  switch (intent.status) {
    case "created":
    case "canceled":
      return { kind: "not_sent", reason: "it was canceled before it was confirmed" };
    case "approved": {
      const captureFailed = intent.capture_at_once && intent.behavior === "capture_fails";
      return { kind: "approved", ...(checks && { checks }), ...(captureFailed && { captured: false }) };
    }
    case "declined":
      return { kind: "declined", decline_code: intent.decline_code, ...(checks && { checks }) };
    case "action_required":
      return { kind: "action_required", challenge: { url }, ...(checks && { checks }) };
    default:
      return intent.status satisfies never;
  }
}

function movementOutcome({ outcome, decline_code }: Movement, url: string): Outcome {
  switch (outcome) {
    case "approved":
      return { kind: "approved" };
    case "declined":
    case "failed":
      return { kind: "declined", decline_code };
    case "action_required":
      return { kind: "action_required", challenge: { url } };
    case "created":
    case "pending":
      return { kind: "pending" };
    default:
      return outcome satisfies never;
  }
}

function checksOf({ avs_result, cvv_result, decline_code, amount }: Intent): Checks | null {
  if (!avs_result || !cvv_result) return null;
  const known_fraud = decline_code === "fraud_suspected";
  const counts = { card_attempts: 0, email_attempts: 0, address_attempts: 0, average_amount: null };
  return { avs_result, cvv_result, ...assessFraud({ ...counts, amount, avs_result, cvv_result, known_fraud }) };
}
