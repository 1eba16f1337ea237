import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { AvsResult } from "@/lib/contract/payments/words";
import {
  AVS_COUNTRIES,
  FRAUD_RULES,
  FRAUD_RULES_CAP,
  type FraudSignals,
  type SandboxBehavior,
} from "@/lib/contract/sandbox-cards";

/** The address verification result for the given address, by the documented table {@link SANDBOX_AVS}. */
export function verifyAddress(behavior: SandboxBehavior, address: BillingAddress | null): AvsResult {
  if (behavior === "avs_no_match") return "N";
  if (!address || (address.line1 === null && address.postal_code === null)) return "U";
  if (address.country !== null && !AVS_COUNTRIES.has(address.country)) return "G";
  if (address.postal_code === null) return "A";
  return address.line1 === null ? "Z" : "Y";
}

/** Always a result: a token exists only for a card that came with its security code. */
export function verifySecurityCode(behavior: SandboxBehavior): "M" | "N" {
  return behavior === "cvv_no_match" || behavior === "decline:incorrect_cvv" ? "N" : "M";
}

/** A card is valid through the last day of its month. */
export function isExpired(expMonth: number, expYear: number, now: Date): boolean {
  return Date.UTC(expYear, expMonth, 1) <= now.getTime();
}

/** A typed or stored card, as it is charged. `fingerprint`: of its number, in its account. */
export type CardInUse = { behavior: SandboxBehavior; fingerprint: string; expMonth: number; expYear: number };

export type SandboxDecision =
  | { outcome: "approved" | "action_required"; declineCode: null }
  | { outcome: "declined"; declineCode: DeclineCode };

/** The issuer's decision. Customers pass challenges; charges by the merchant are exempt from them. */
export function decideAuthorization(
  { behavior, expMonth, expYear }: CardInUse,
  initiator: "customer" | "merchant",
  now: Date,
): SandboxDecision {
  if (isExpired(expMonth, expYear, now)) return { outcome: "declined", declineCode: "expired_card" };
  const [rule, code] = behavior.split(":") as [string, DeclineCode];
  const declines = rule === "decline" || (rule === "merchant_decline" && initiator === "merchant");
  if (declines) return { outcome: "declined", declineCode: code };
  const isChallenged = behavior === "challenge" && initiator === "customer";
  return { outcome: isChallenged ? "action_required" : "approved", declineCode: null };
}

/** The score (0–100) by the rules, and the descriptions of the rules that raised it. */
export function assessFraud(signals: FraudSignals): { fraud_score: number; fraud_reasons: string[] } {
  const reasons: string[] = [];
  const groups = new Set<string>();
  let points = 0;
  let known = 0;
  for (const rule of FRAUD_RULES) {
    if (groups.has(rule.group) || !rule.applies(signals)) continue;
    groups.add(rule.group);
    reasons.push(rule.reason);
    if (rule.id === "known_fraud") known = rule.points;
    else points += rule.points;
  }
  return { fraud_score: Math.max(known, Math.min(points, FRAUD_RULES_CAP)), fraud_reasons: reasons };
}
