import type { CheckoutErrorCode } from "@/lib/contract/checkout/messages";
import type { AttemptOutcome } from "./checkout-server";
import type { CheckoutView, FieldName, FieldProblem, NoticeKey } from "./checkout-view";

type Ended<Kind extends AttemptOutcome["kind"]> = Extract<AttemptOutcome, { kind: Kind }>;

/** Result of an attempt. `over`: the session's state has decided it, or the form is gone. */
export type AttemptEnd = Ended<"answered" | "refused" | "limited" | "changed"> | { kind: "over" };

type FormAttemptPorts = {
  /** Sends the same attempt with the same body every time. */
  send(): Promise<AttemptOutcome>;
  /** Checks for news of the session; never throws. */
  look(): Promise<unknown>;
  wait(ms: number): Promise<void>;
  onLost(): void;
  over(): boolean;
};

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15_000;

/** Refusals that mean that this attempt can't pay, whatever happened to its earlier requests. */
const FINAL_REFUSALS: ReadonlySet<string> = new Set([
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "processor_not_configured",
]);

/** Sends an attempt until its outcome is known: after a lost response, for as long as the form lives. */
export async function runAttempt(ports: FormAttemptPorts): Promise<AttemptEnd> {
  let lostBefore = false;
  let waitMs = FIRST_WAIT_MS;
  while (!ports.over()) {
    const outcome = await ports.send();
    if (ports.over()) break;
    if (outcome.kind === "answered" || outcome.kind === "changed") return outcome;
    if (outcome.kind === "refused" && (!lostBefore || FINAL_REFUSALS.has(outcome.code))) return outcome;
    if (outcome.kind === "limited" && !lostBefore) return outcome;
    void ports.look();
    if (outcome.kind === "busy" || outcome.kind === "limited") {
      await ports.wait(outcome.retryAfterMs);
      continue;
    }
    lostBefore = true;
    ports.onLost();
    await ports.wait(waitMs);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
  return { kind: "over" };
}

/** Effect of a refusal on the form and the page around it. */
type RefusalMeaning = { notice: NoticeKey; code: CheckoutErrorCode; errors: CheckoutView["errors"] };

/** Errors for fields that passed here and that the server refused. */
const PROBLEM_OF_FIELD: Record<FieldName, FieldProblem> = {
  email: "email_invalid",
  number: "number_invalid",
  expiry: "expiry_invalid",
  cvv: "cvv_invalid",
  name: "name_invalid",
  postal_code: "postal_code_invalid",
  consent: "consent_missing",
};

const MERCHANT_CANNOT_SELL: ReadonlySet<string> = new Set([
  "processor_refused",
  "processor_not_configured",
  "merchant_suspended",
  "currency_not_supported",
  "plan_not_active",
]);

export function refusalMeaning(
  code: string,
  fields: readonly FieldName[],
  shown: readonly FieldName[],
): RefusalMeaning {
  const wrong = fields.filter((field) => shown.includes(field));
  if (wrong.length > 0) {
    const errors = Object.fromEntries(wrong.map((field) => [field, PROBLEM_OF_FIELD[field]]));
    return { notice: "invalid_card_data", code: "invalid_card_data", errors };
  }
  if (MERCHANT_CANNOT_SELL.has(code))
    return { notice: "processor_unavailable", code: "processor_unavailable", errors: {} };
  if (code === "origin_not_allowed") return { notice: "not_sent", code: "origin_not_allowed", errors: {} };
  return { notice: "not_sent", code: "processing_error", errors: {} };
}

/** Id of a new attempt. `randomUUID` is missing on plain http pages. */
export function mintAttempt(
  source: Partial<Pick<Crypto, "randomUUID">> & Pick<Crypto, "getRandomValues"> = crypto,
): string {
  if (source.randomUUID) return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  // Grouped like a UUID: a long run of digits could be a card number and would be refused.
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
