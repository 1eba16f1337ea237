import type Stripe from "stripe";
import { Semaphore } from "@/lib/semaphore";
import type { DisputeEvidence, DisputeResponseOutcome, DisputeResponseRequest } from "../records";
import { type Budget, postOnceByState, toRequestFailure } from "./api";

/** Stripe's fields for files, each of which takes one. Beyond the first, it sorts them only for display. */
const FILE_FIELDS = [
  "uncategorized_file",
  "service_documentation",
  "shipping_documentation",
  "customer_communication",
  "receipt",
  "refund_policy",
  "cancellation_policy",
  "customer_signature",
] as const;

/** Stripe's limit for all files of one dispute, in bytes. */
const MAX_EVIDENCE_BYTES = 4.5 * 1024 * 1024;

/**
 * Submits evidence or closes the dispute, each under the response's reference. Stripe accepts either once, and
 * the dispute shows which one.
 */
export async function respondToDispute(
  stripe: Stripe,
  budget: Budget,
  request: DisputeResponseRequest,
): Promise<DisputeResponseOutcome> {
  const { dispute, reference } = request;
  const refusal = request.kind === "submit" ? refusalOfFiles(request.evidence.files) : null;
  if (refusal !== null) return { kind: "refused", refusal };
  // Stripe stored an error for the first attempt to close, which may have closed the dispute.
  let isRepeatedClose = false;
  try {
    if (request.kind === "accept") {
      await postOnceByState(budget, reference, (options) => {
        isRepeatedClose = options.idempotencyKey !== reference;
        return stripe.disputes.close(dispute, {}, options);
      });
      return { kind: "sent" };
    }
    const evidence = { ...textsOf(request.evidence), ...(await uploadFiles(stripe, budget, request)) };
    await postOnceByState(budget, reference, (options) =>
      stripe.disputes.update(dispute, { evidence, submit: true }, options),
    );
    return { kind: "sent" };
  } catch (error) {
    const failure = toRequestFailure(error);
    switch (failure.kind) {
      case "refused":
        return { kind: isRepeatedClose ? "refused_repeat" : "refused", refusal: failure.refusal };
      case "card":
        return { kind: "unknown", reason: failure.note };
      case "not_sent":
      case "unknown":
        return { kind: failure.kind, reason: failure.reason };
      default:
        return failure satisfies never;
    }
  }
}

/** The reason why Stripe would refuse the files, which it reports only once it has them all; null if it won't. */
function refusalOfFiles(files: DisputeEvidence["files"]): string | null {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= MAX_EVIDENCE_BYTES) return null;
  // Rounded up, so that it never reads as the limit itself.
  const mb = Math.ceil((bytes / 1024 / 1024) * 10) / 10;
  return `The files have ${mb.toFixed(1)} MB together, and Stripe takes at most 4.5 MB for one dispute. Remove files or make them smaller, then submit the evidence again.`;
}

/** Stripe has no text fields for what was written with the customer. */
function textsOf({ texts, shippedAt }: DisputeEvidence): Stripe.DisputeUpdateParams.Evidence {
  const { product_description, shipping_carrier, shipping_tracking, refund_policy } = texts;
  const others = [
    texts.customer_communication && `Communication with the customer:\n${texts.customer_communication}`,
    texts.notes,
  ].filter(Boolean);
  return {
    ...(product_description && { product_description }),
    ...(shipping_carrier && { shipping_carrier }),
    ...(shipping_tracking && { shipping_tracking_number: shipping_tracking }),
    ...(shippedAt && { shipping_date: shippedAt.toISOString().slice(0, 10) }),
    ...(refund_policy && { refund_policy_disclosure: refund_policy }),
    ...(others.length > 0 && { uncategorized_text: others.join("\n\n") }),
  };
}

/** One file of an account at a time, so that one account's many files never delay another's. */
const filesInMemory = new Semaphore({ slots: 6, perKey: 1 });

/** Uploads each file under a key of its own, so that a repeat has the same ids and sends the same evidence. */
async function uploadFiles(
  stripe: Stripe,
  budget: Budget,
  { account, reference, evidence }: Extract<DisputeResponseRequest, { kind: "submit" }>,
): Promise<Stripe.DisputeUpdateParams.Evidence> {
  const ids: Partial<Record<(typeof FILE_FIELDS)[number], string>> = {};
  for (const [index, field] of FILE_FIELDS.entries()) {
    const file = evidence.files[index];
    if (!file) break;
    const { name, type } = file;
    ids[field] = await filesInMemory.run(async () => {
      const data = await file.read();
      const { id } = await postOnceByState(budget, `${reference}:${file.id}`, (options) =>
        stripe.files.create({ purpose: "dispute_evidence", file: { data, name, type } }, options),
      );
      return id;
    }, account);
  }
  return ids;
}
