import { Card, Money } from "@/components/ui/card";
import { invoicesHref } from "@/lib/contract/invoices/list";
import {
  CHURN_DAYS,
  churnRate,
  type SubscriptionFigures,
  TRIAL_DAYS,
} from "@/lib/contract/reporting/subscription-figures";
import { subscriptionsHref } from "@/lib/contract/subscriptions/list";
import type { Mode } from "@/lib/contract/transactions/words";
import { shareText } from "./overview-text";
import { FiguresExplained } from "./subscription-method";
import { TileBox } from "./tiles";

const counted = (count: number, one: string) => `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;

/** Current subscription figures in one currency, each linked to its rows. */
export function SubscriptionTiles({ mode, figures }: { mode: Mode; figures: SubscriptionFigures }) {
  const { mrr, paying, trials, trialsEnding, churned, failed, failedAmount } = figures;
  const currency = [figures.currency] as const;
  const rate = churnRate(figures);
  return (
    <Card
      title={`Subscriptions in ${figures.currency}`}
      actions={<FiguresExplained />}
      flush
      className="mt-4 overflow-hidden"
    >
      <ul className="grid grid-cols-1 sm:grid-cols-2 lg:grid-cols-4">
        <TileBox
          label="Monthly recurring revenue"
          href={subscriptionsHref(mode, { status: ["ACTIVE", "PAST_DUE"], currency: currency as never })}
          value={<Money amount={mrr} currency={figures.currency} bare />}
        >
          <Note>{counted(paying, "paying subscription")}</Note>
        </TileBox>
        <TileBox
          label="Trials"
          href={subscriptionsHref(mode, { status: ["TRIALING"], currency: currency as never })}
          value={trials.toLocaleString("en-US")}
        >
          <Note>
            {trials === 0
              ? "None now"
              : trialsEnding === 0
                ? `None ends within ${TRIAL_DAYS} days`
                : `${trialsEnding.toLocaleString("en-US")} ${trialsEnding === 1 ? "ends" : "end"} within ${TRIAL_DAYS} days`}
          </Note>
        </TileBox>
        <TileBox
          label="Churn"
          href={subscriptionsHref(mode, {
            status: ["CANCELLED"],
            currency: currency as never,
            stage: ["paid"],
            ended_at: { preset: "last-30-days" },
          })}
          value={rate === null ? "–" : shareText(rate)}
        >
          <Note>{`${churned.toLocaleString("en-US")} of ${(paying + churned).toLocaleString("en-US")} cancelled in ${CHURN_DAYS} days`}</Note>
        </TileBox>
        <TileBox
          label="Failed renewals"
          href={invoicesHref(mode, { payment: ["failed"], currency: currency as never })}
          value={<Money amount={failedAmount} currency={figures.currency} bare />}
        >
          <Note>{failed === 0 ? "None unpaid" : `${counted(failed, "unpaid invoice")}`}</Note>
        </TileBox>
      </ul>
    </Card>
  );
}

function Note({ children }: { children: string }) {
  return <p className="mt-0.5 truncate text-soft text-xs leading-5">{children}</p>;
}
