/** An environment's settings for its subscriptions. Without zod, because the engine and browsers use them. */

/** Consequence of the last failed attempt to charge an invoice. */
export const AFTER_LAST_ATTEMPT = ["CANCEL", "KEEP"] as const;

/** Limits of the dunning schedule: its number of steps, and the days of each. */
export const MAX_DUNNING_STEPS = 8;
export const MAX_DUNNING_DAYS = 60;

/** The mails that customers can receive, by their switch. */
const MAIL_SWITCHES = [
  "mail_trial_ending",
  "mail_receipt",
  "mail_payment_failed",
  "mail_card_expiring",
  "mail_cancelled",
] as const;
export type MailSwitch = (typeof MAIL_SWITCHES)[number];

/** Customers' actions in the portal, by switch. */
const PORTAL_SWITCHES = ["portal_change_card", "portal_cancel", "portal_invoices"] as const;
export type PortalSwitch = (typeof PORTAL_SWITCHES)[number];

export type SubscriptionSettings = {
  /** Days from each failed attempt to the next. */
  readonly dunning_steps: readonly number[];
  /** `CANCEL` ends the subscription; with `KEEP` it stays past due, and its invoice open. */
  readonly after_last_attempt: (typeof AFTER_LAST_ATTEMPT)[number];
} & { readonly [name in MailSwitch | PortalSwitch]: boolean };

export const DEFAULT_SUBSCRIPTION_SETTINGS: SubscriptionSettings = {
  dunning_steps: [3, 5, 7],
  after_last_attempt: "CANCEL",
  mail_trial_ending: true,
  mail_receipt: true,
  mail_payment_failed: true,
  mail_card_expiring: true,
  mail_cancelled: true,
  portal_change_card: true,
  portal_cancel: true,
  portal_invoices: true,
};
