import { CircleAlert, CircleCheck, CircleHelp, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { Facts } from "@/components/ui/facts";
import { cardText } from "@/lib/client/card-text";
import type { PaymentDetail } from "@/lib/contract/dashboard/payment-detail";
import { AVS_RESULTS, CVV_RESULTS, checkTone } from "@/lib/contract/verification-words";
import { FraudScore } from "./fraud-score";

const TONE_ICONS = {
  good: <CircleCheck aria-hidden="true" className="size-3.5 text-green" />,
  partly: <CircleAlert aria-hidden="true" className="size-3.5 text-amber" />,
  bad: <CircleX aria-hidden="true" className="size-3.5 text-red" />,
  unknown: <CircleHelp aria-hidden="true" className="size-3.5 text-soft" />,
};

/** The card as far as it may be shown, and what the checks of it said. */
export function PaymentCard({ detail }: { detail: PaymentDetail }) {
  const { payment, notes } = detail;
  const { card } = payment;
  const charge = payment.transactions[0];
  const avs = charge?.avs_result ?? null;
  const cvv = charge?.cvv_result ?? null;
  return (
    <>
      <Facts
        items={[
          { term: "Card", value: card && <span className="tabular-nums">{cardText(card.brand, card.last4)}</span> },
          {
            term: "Expires",
            value: card && (
              <span className="tabular-nums">
                {String(card.exp_month).padStart(2, "0")} / {card.exp_year}
              </span>
            ),
          },
          { term: "BIN", value: card && <span className="font-mono text-xs">{card.bin}</span> },
          {
            term: "Address (AVS)",
            value: avs && <Check code={avs} words={AVS_RESULTS[avs]} icon={TONE_ICONS[checkTone("avs", avs)]} />,
          },
          {
            term: "Security code (CVV)",
            value: cvv && <Check code={cvv} words={CVV_RESULTS[cvv]} icon={TONE_ICONS[checkTone("cvv", cvv)]} />,
          },
        ]}
      />
      <FraudScore score={charge?.fraud_score ?? null} reasons={notes[0]?.fraud_reasons ?? null} />
    </>
  );
}

function Check({ code, words, icon }: { code: string; words: string; icon: ReactNode }) {
  return (
    <span className="flex items-baseline gap-1.5">
      <span className="translate-y-0.5">{icon}</span>
      <span>
        {words} <code className="whitespace-nowrap font-mono text-soft text-xs">({code})</code>
      </span>
    </span>
  );
}
