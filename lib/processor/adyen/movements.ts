import { z } from "zod";
import type { FollowUpRequest, InquireRequest, Outcome, VoidRequest } from "../port";
import type { ProcessorObject } from "../records";
import { toAdyenAmount } from "./amounts";
import { REFUSED, refusedAmount, refusedBy, type Settled } from "./outcomes";
import {
  authorizationOutcome,
  type FirstUse,
  movementOutcome,
  type Recorded,
  type Records,
  remainingAmount,
  wasCaptured,
} from "./records";
import { modificationBody } from "./request-bodies";
import type { AdyenResponse, Requests } from "./requests";

const ALREADY_RELEASED: Outcome = { kind: "approved", note: "already reversed at Adyen" };
const received = z.object({ pspReference: z.string().min(1), status: z.literal("received") });

type Parts = {
  records: Records;
  requests: Requests;
  merchantAccount: string;
  sendUnderKey(call: () => Promise<AdyenResponse>, known: () => Promise<Outcome | null>): Promise<Settled>;
  keepPayment(request: Keeping, reference: string): Promise<void>;
};

/** Captures, cancels and refunds. */
export function createMovements({ records, requests, merchantAccount, sendUnderKey, keepPayment }: Parts) {
  async function move(requested: "capture" | "void" | "refund", request: VoidRequest): Promise<Outcome> {
    const { reference, account, authorization } = request;
    const charge = await records.findOwn(account, authorization);
    const late = request.evenCaptured ? charge : null;
    // Adyen can't cancel a captured payment, so it is refunded.
    const kind = late && wasCaptured(late) ? "refund" : requested;
    const left = late && remainingAmount(late);
    const amount = left ?? toAdyenAmount(request.amount, request.currency);
    const known = await records.find(reference);
    const isReleased = late !== null && left === null && canMove(late, requested);
    if (!known && (!charge || !amount || !canMove(charge, requested) || isReleased)) {
      await records.begin(reference, firstUseOf(kind, request, amount));
      return records.ended(reference, isReleased ? ALREADY_RELEASED : amount ? REFUSED : refusedAmount(request));
    }
    const firstUse = await records.begin(reference, firstUseOf(kind, request, amount));
    if (firstUse.account !== account || !charge?.pspReference) return REFUSED;
    const before = await records.find(reference);
    const outcome = before && movementOutcome(before);
    const first = firstUse.kind === "void" || firstUse.kind === "refund" ? firstUse.kind : requested;
    const sent = outcome ?? (await sendMovement(first, request, charge.pspReference, firstUse));
    await keepPayment(request, authorization);
    const recorded = await records.find(reference);
    if (recorded?.pspReference) await keepNew(request, { kind: first, id: recorded.pspReference });
    return sent;
  }

  const firstUseOf = (
    kind: FirstUse["kind"],
    { account, authorization }: FollowUpRequest,
    amount: FirstUse["amount"],
  ): FirstUse => ({ account, by: "call", kind, authorization, amount, captures: false });

  async function sendMovement(
    kind: "capture" | "void" | "refund",
    request: FollowUpRequest,
    payment: string,
    { amount }: FirstUse,
  ): Promise<Outcome> {
    const { reference } = request;
    const path = { capture: "captures", void: "cancels", refund: "refunds" }[kind];
    const body = modificationBody(kind, merchantAccount, request, amount);
    const known = async () => {
      const recorded = await records.find(reference);
      return recorded && movementOutcome(recorded);
    };
    const response = await sendUnderKey(
      () => requests.post(`/payments/${encodeURIComponent(payment)}/${path}`, body, reference),
      known,
    );
    if (response.kind === "settled") return response.outcome;
    if (response.kind === "answered") {
      const read = received.safeParse(response.body);
      if (!read.success) return { kind: "unknown", reason: "Adyen's answer cannot be read" };
      await records.received(reference, read.data.pspReference);
      // The webhook may have arrived before the response.
      return (await known()) ?? { kind: "pending" };
    }
    return response.status === 422
      ? records.ended(reference, refusedBy(response))
      : { kind: "not_sent", reason: response.message };
  }

  return { move };
}

/**
 * True if the charge was approved and not released. One with a differing amount can only be voided or
 * refunded.
 */
function canMove(charge: Recorded, requested: "capture" | "void" | "refund"): boolean {
  if (charge.pspReference === null) return false;
  const outcome = authorizationOutcome(charge);
  return (
    outcome?.kind === "approved" || (outcome?.kind === "declined" && outcome.holds === true && requested === "void")
  );
}

export type Keeping = Pick<InquireRequest, "account" | "objects" | "keep">;

export async function keepNew({ keep, objects }: Keeping, object: ProcessorObject): Promise<void> {
  if (!objects.some(({ id }) => id === object.id)) await keep?.(object);
}
