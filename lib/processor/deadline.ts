import { z } from "zod";
import { systemTimer, type Timer } from "@/lib/clock";
import { keepableText } from "@/lib/contract/card-numbers";
import { declineCode } from "@/lib/contract/errors";
import { avsResult, cvvResult } from "@/lib/contract/transactions/transaction";
import { CARD_BRANDS } from "@/lib/contract/transactions/words";
import type { StoreCardOutcome } from "./cards";
import type { Outcome, Processor } from "./port";
import type { DisputeResponseOutcome } from "./records";

/** Text from processors is stored: text that the database refuses would keep the outcome out of the books. */
const keepable = (text: string) => keepableText(text, 500);
const words = z.string().transform(keepable);
/** Shoppers are redirected there. */
const address = z.url({ protocol: /^https?$/, normalize: true });

const checks = z
  .object({
    avs_result: avsResult.nullable(),
    cvv_result: cvvResult.nullable(),
    fraud_score: z.number().min(0).max(100).transform(Math.round).nullable(),
    fraud_reasons: z.array(words),
  })
  .optional()
  .catch(undefined);

const cardData = z.object({
  brand: z.enum(CARD_BRANDS).nullable(),
  bin: z
    .string()
    .regex(/^\d{6,8}$/)
    .nullable(),
  last4: z
    .string()
    .regex(/^\d{4}$/)
    .nullable(),
  exp_month: z.int().min(1).max(12).nullable(),
  exp_year: z.int().min(2000).max(2199).nullable(),
});
const card = cardData.optional().catch(undefined);
/** Kept as they are: a changed token would name no card. */
const identifier = z.string().min(1).max(500);

/**
 * Descriptions that can't be read are left out: the outcome is known without them, and every status check would
 * read them again. The stored card's token is no description.
 */
const details = {
  note: words.optional(),
  card,
  storedToken: identifier.optional(),
  fingerprint: identifier.optional().catch(undefined),
};

const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("approved"), checks, captured: z.literal(false).optional(), ...details }),
  z.object({
    kind: z.literal("declined"),
    decline_code: declineCode.nullable(),
    holds: z.literal(true).optional(),
    refusal: words.optional(),
    checks,
    ...details,
  }),
  z.object({ kind: z.literal("action_required"), challenge: z.object({ url: address }), checks, ...details }),
  z.object({ kind: z.literal("pending") }),
  z.object({ kind: z.literal("not_sent"), reason: words }),
  z.object({ kind: z.literal("unknown"), reason: words, final: z.literal(true).optional() }),
]);
const inquiry = z.discriminatedUnion("kind", [
  ...outcome.options,
  z.object({ kind: z.literal("not_found") }),
  z.object({ kind: z.literal("never") }),
]);
const storeCardOutcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stored"), token: identifier, card, fingerprint: details.fingerprint }),
  z.object({
    kind: z.literal("declined"),
    decline_code: declineCode.nullable(),
    note: details.note,
    refusal: words.optional(),
  }),
  z.object({ kind: z.literal("action_required"), challenge: z.object({ url: address }), pending: identifier }),
  z.object({ kind: z.enum(["not_sent", "unknown"]), reason: words }),
]);

const disputeResponse = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sent") }),
  z.object({ kind: z.enum(["refused", "refused_repeat"]), refusal: words }),
  z.object({ kind: z.enum(["not_sent", "unknown"]), reason: words }),
]);

/** A call that moves no money timed out: it did nothing, or can be repeated. */
export class ProcessorTimeoutError extends Error {
  override readonly name = "ProcessorTimeoutError";

  /** Next bundles a second copy of this module, and errors of either copy must match. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "ProcessorTimeoutError";
  }

  constructor(timeoutMs: number) {
    super(`the processor gave no answer within ${timeoutMs} ms`);
  }
}

/**
 * A processor that always responds within `timeoutMs`, with values that the port allows: an error, a timeout
 * or a malformed result is `unknown`, because money may have moved. Calls that move no money reject with the
 * processor's own error, or with ProcessorTimeoutError.
 */
export function withDeadline(processor: Processor, timeoutMs: number, timer: Timer = systemTimer): Processor {
  const within: Within = (call) => resultWithin(timer, timeoutMs, call);
  const parseResult = <T extends { kind: string }>(schema: z.ZodType<T>, call: () => Promise<T>) =>
    readWithin(within, timeoutMs, schema, call);

  const send = (call: () => Promise<Outcome>) => parseResult<Outcome>(outcome, call);

  const inTime = async <T>(call: Promise<T>): Promise<T> => {
    const result = await within(call);
    if (result === "timeout") throw new ProcessorTimeoutError(timeoutMs);
    return result;
  };

  const { reports, acceptToken, readDispute, listOutsideRefunds, checkConnection } = processor;
  const { storeCard, continueStoring, removeCard, respondToDispute } = processor;
  const store = (call: () => Promise<StoreCardOutcome>) => parseResult<StoreCardOutcome>(storeCardOutcome, call);
  const simulation = reports.kind === "pulled" ? reports.simulation : undefined;
  const catchUp = reports.kind === "pushed" ? reports.catchUp : undefined;
  return {
    name: processor.name,
    capabilities: processor.capabilities,
    notFoundConclusiveAfterMs: processor.notFoundConclusiveAfterMs,
    tokenize: (account, card, holder) => inTime(processor.tokenize(account, card, holder)),
    refusesAmount: processor.refusesAmount,
    requireReadable: (token) => processor.requireReadable(token),
    authorize: (request) => send(() => processor.authorize(request)),
    ...(processor.returnParameter !== undefined && { returnParameter: processor.returnParameter }),
    continueAuthorization: (request) => send(() => processor.continueAuthorization(request)),
    storeCard: storeCard && ((request) => store(() => storeCard(request))),
    continueStoring: continueStoring && ((request) => store(() => continueStoring(request))),
    removeCard: removeCard && ((account, stored) => inTime(removeCard(account, stored))),
    capture: (request) => send(() => processor.capture(request)),
    void: (request) => send(() => processor.void(request)),
    refund: (request) => send(() => processor.refund(request)),
    inquire: (request) => parseResult(inquiry, () => processor.inquire(request)),
    close: (request) => parseResult(inquiry, () => processor.close(request)),
    reports:
      reports.kind === "pushed"
        ? { ...reports, catchUp: catchUp && ((cursor) => inTime(catchUp(cursor))) }
        : {
            kind: "pulled",
            list: (limit, after) => inTime(reports.list(limit, after)),
            ...(simulation && {
              simulation: {
                act: (account: string, now: Date) => inTime(simulation.act(account, now)),
                nextAct: (account: string, after: string) => inTime(simulation.nextAct(account, after)),
              },
            }),
            acknowledge: (id) => inTime(reports.acknowledge(id)),
          },
    acceptToken: acceptToken && ((account, token) => inTime(acceptToken(account, token))),
    readDispute: readDispute && ((id) => inTime(readDispute(id))),
    respondToDispute:
      respondToDispute &&
      ((request) => parseResult<DisputeResponseOutcome>(disputeResponse, () => respondToDispute(request))),
    listOutsideRefunds: listOutsideRefunds && ((request) => inTime(listOutsideRefunds(request))),
    checkConnection: checkConnection && (() => inTime(checkConnection())),
    // No deadline: it takes as long as there are pages to read, each with the processor's own timeout.
    statement: processor.statement,
    readStatement: processor.readStatement,
    dashboardUrl: processor.dashboardUrl,
    // A run ends by itself at about the deadline, so that runs don't overlap.
    forgetOldAttempts: () => inTime(processor.forgetOldAttempts()),
  };
}

type Within = <T>(call: Promise<T>) => Promise<T | "timeout">;

async function readWithin<T>(
  within: Within,
  timeoutMs: number,
  schema: z.ZodType<T>,
  call: () => Promise<T>,
): Promise<T | { kind: "unknown"; reason: string }> {
  try {
    const result = await within(call());
    if (result === "timeout") return { kind: "unknown", reason: `no answer within ${timeoutMs} ms` };
    const parsed = schema.safeParse(result);
    return parsed.success ? parsed.data : { kind: "unknown", reason: "the processor's response cannot be read" };
  } catch (error) {
    return { kind: "unknown", reason: keepable(error instanceof Error ? error.message : String(error)) };
  }
}

async function resultWithin<T>(timer: Timer, timeoutMs: number, call: Promise<T>): Promise<T | "timeout"> {
  let endTimer = () => {};
  const timeout = new Promise<"timeout">((resolve) => {
    endTimer = timer.after(timeoutMs, () => resolve("timeout"));
  });
  try {
    // The race stays subscribed to both promises, so a late result or error is dropped instead of unhandled.
    return await Promise.race([call, timeout]);
  } finally {
    endTimer();
  }
}
