/** Figures of an environment's subscriptions in one currency, as plain data. Money in minor units. */
export type SubscriptionFigures = {
  currency: string;
  /** Monthly recurring revenue of the `paying` subscriptions. */
  mrr: number;
  /** ACTIVE and PAST_DUE. */
  paying: number;
  /** TRIALING. */
  trials: number;
  /** Trials that end within {@link TRIAL_DAYS} and become a paid period. */
  trialsEnding: number;
  /** Subscriptions cancelled within {@link CHURN_DAYS}, after their trial. */
  churned: number;
  /** OPEN invoices whose last attempt failed. */
  failed: number;
  failedAmount: number;
};

export const TRIAL_DAYS = 7;
export const CHURN_DAYS = 30;

/** Share of the subscriptions that paid at some time within {@link CHURN_DAYS}; null if none did. */
export function churnRate({ churned, paying }: Pick<SubscriptionFigures, "churned" | "paying">): number | null {
  return churned + paying === 0 ? null : churned / (churned + paying);
}
