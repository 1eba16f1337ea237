import type { SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";

type Screen = { title: string; text: string };

/** Amounts, days, names and cards come formatted. */
export type PortalTexts = {
  title: (merchant: string) => string;
  notFound: Screen;
  expired: (merchant: string) => Screen;
  /** While the payment form leads back to the page; `lost` if the tab no longer knows its address. */
  back: Screen & { lost: string };
  subscriptions: string;
  noSubscriptions: (merchant: string) => string;
  invoices: string;
  noInvoices: string;
  olderInvoices: string;
  status: Record<SubscriptionStatus, string>;
  invoiceStatus: Record<"OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE", string>;
  rows: { price: string; card: string };
  units: (count: number) => string;
  next: (amount: string, day: string) => string;
  trial: (day: string, amount: string) => string;
  ends: (day: string) => string;
  endsButOwes: (day: string, amount: string) => string;
  owed: (amount: string) => string;
  retry: (amount: string, day: string) => string;
  paused: string;
  ended: (day: string) => string;
  incomplete: string;
  expiredSubscription: string;
  change: (plan: string, day: string) => string;
  cardExpires: (month: string) => string;
  cardExpired: string;
  cardRemoved: string;
  changeCard: string;
  cancel: string;
  continue: string;
  view: (number: string) => string;
  pay: string;
  cancelPage: {
    title: (plan: string) => string;
    keeps: (plan: string, day: string) => string;
    keepsButOwes: (plan: string, day: string, amount: string) => string;
    undo: string;
    confirm: string;
    goBack: string;
  };
  notices: {
    cancelled: string;
    continued: (plan: string) => string;
    card: (card: string) => string;
    paid: (number: string) => string;
    paying: string;
    changed: string;
    busy: string;
  };
};
