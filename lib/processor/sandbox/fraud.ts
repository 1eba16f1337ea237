import { FRAUD_RULES, FRAUD_RULES_CAP, type FraudSignals } from "@/lib/contract/sandbox-cards";

/** The score (0–100) that the rules give, and the plain words of those that made it. */
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
