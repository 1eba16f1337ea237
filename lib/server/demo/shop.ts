import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { PlanType } from "@/lib/contract/plans/plan";
import type { CardBrand } from "@/lib/contract/transactions/words";

/** Goods and their prices in cents. */
export const GOODS: [string, number][] = [
  ["Evening tide, 30 × 40 cm", 3_200],
  ["Evening tide, framed", 11_900],
  ["Harbour at dawn, 50 × 70 cm", 12_950],
  ["Postcards, set of eight", 1_980],
  ["Star chart, 60 × 90 cm", 8_900],
  ["Greeting card", 1_250],
  ["Lighthouse, 30 × 40 cm", 4_500],
  ["Desk calendar", 2_200],
  ["Triptych, framed", 32_900],
  ["Oak frame, 50 × 70 cm", 7_400],
  ["Notebook, linen bound", 5_850],
  ["Signed linocut", 15_900],
  ["Tea towel, waves", 2_700],
];
type DemoPlan = { name: string; type: PlanType; price: number; description: string; trialDays?: number };

/** The shop's plans. Prices in US cents; what recurs does so monthly. */
export const DEMO_PLANS: readonly DemoPlan[] = [
  {
    ...{ name: "Framing service", type: "ONE_TIME", price: 6_500 },
    description: "Your own print, framed in oak. Ready in two weeks.",
  },
  {
    ...{ name: "Printmaking workshop", type: "ONE_TIME", price: 12_000 },
    description: "One day at the press, up to eight people. Paper, ink and lunch included.",
  },
  {
    ...{ name: "Print of the month", type: "SUBSCRIPTION_FREE_TRIAL", price: 1_900, trialDays: 14 },
    description: "A small print in your mailbox, every month.",
  },
];
export const TOWNS: Omit<BillingAddress, "line1" | "line2">[] = [
  { city: "Denver", state: "CO", postal_code: "80202", country: "US" },
  { city: "Portland", state: "OR", postal_code: "97205", country: "US" },
  { city: "Burlington", state: "VT", postal_code: "05401", country: "US" },
  { city: "Innsbruck", state: null, postal_code: "6020", country: "AT" },
  { city: "Grenoble", state: null, postal_code: "38000", country: "FR" },
  { city: "Bergen", state: null, postal_code: "5003", country: "NO" },
];
export const STREETS = ["Main Street", "Mill Lane", "Station Road", "Park Avenue", "River Walk"];

export const FIRST_NAMES =
  "Ada Jonas Mei Ruth Noah Sora Eva Omar Clara Tom Lina Hugo Ines Paul Nora Amir Lucy Marco Greta Ravi".split(" ");
export const LAST_NAMES =
  "Moreno Weber Tanaka Okafor Fischer Kimura Lindqvist Haddad Rossi Aldridge Costa Novak Dubois Larsen".split(" ");
/** Shares of the shop's cards and of its declines add up to 1. */
export const CARDS: { brand: CardBrand; bin: string; share: number }[] = [
  { brand: "visa", bin: "411111", share: 0.56 },
  { brand: "mastercard", bin: "555555", share: 0.29 },
  { brand: "amex", bin: "378282", share: 0.1 },
  { brand: "discover", bin: "601111", share: 0.05 },
];
export const DECLINES: { code: DeclineCode; share: number }[] = [
  { code: "insufficient_funds", share: 0.44 },
  { code: "generic_decline", share: 0.26 },
  { code: "expired_card", share: 0.12 },
  { code: "incorrect_cvv", share: 0.11 },
  { code: "lost_card", share: 0.07 },
];
export const REFUND_REASONS = ["CUSTOMER_REQUEST", "RETURN", "DUPLICATE"];
