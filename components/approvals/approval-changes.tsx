import { Facts, Money } from "@/components/ui/card";
import type { ApprovalRequest, RefundParameters } from "@/lib/contract/approvals/approvals";
import type { KeyAct } from "@/lib/contract/approvals/words";
import { moneyText } from "@/lib/contract/format";
import { REFUND_REASON_WORDS } from "@/lib/contract/payments/words";

const KEY_TITLES: Record<KeyAct, string> = {
  CREATE: "New live key",
  CHANGE: "More rights for live key",
  ROTATE: "Rotation of live key",
  ENABLE: "Enabling live key",
};

export const RULE_NAMES = { REFUND: "refunds", BANK_ACCOUNT: "the bank account", LIVE_KEY: "live keys" } as const;

type Act = Pick<ApprovalRequest, "parameters">;

/** Names the requested act in a few words. */
export function approvalTitle({ parameters }: Act): string {
  if ("amount" in parameters) return `Refund of ${moneyText(parameters.amount, parameters.currency)}`;
  if ("bank_account" in parameters) return `Bank account •••• ${parameters.bank_account.after.last4}`;
  if ("key" in parameters) return `${KEY_TITLES[parameters.key.act]} “${parameters.key.after.name}”`;
  return `Weaker rule for ${RULE_NAMES[parameters.rule.action]}`;
}

/** The refund that is requested. */
export function RefundChanges({ amount, currency, reason, comment, acknowledge_dispute }: RefundParameters) {
  const why = [reason && REFUND_REASON_WORDS[reason], comment].filter(Boolean);
  return (
    <Facts
      items={[
        { term: "Refund", value: <Money amount={amount} currency={currency} /> },
        { term: "Refund reason", value: why.join(": ") || null },
        ...(acknowledge_dispute ? [{ term: "Dispute", value: "Refund anyway" }] : []),
      ]}
    />
  );
}
