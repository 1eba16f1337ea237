import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { PlanType } from "@/lib/contract/plans/plan";
import type { CardBrand } from "@/lib/contract/transactions/words";

/**
 * Made-up data: the demo shop's goods, plans, customers and cards. The demo's past draws orders from it, the
 * bench and the tests of many rows draw SQL rows. Amounts are in minor units.
 */
export const GOODS: [description: string, price: number][] = [
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

/** Printed on its receipts and invoices. Prices include the tax. */
export const DEMO_BUSINESS = {
  business_address: "Halyard Prints Ltd\n14 Quay Street\nFalmouth TR11 3HB\nUnited Kingdom",
  tax_number: "GB 123 4567 82",
  tax_name: "VAT",
  tax_rate: 20_000,
};

type DemoPlan = {
  name: string;
  type: PlanType;
  price: number;
  description: string;
  trialDays?: number;
  trialPrice?: number;
};

/** Prices in US dollars; subscriptions are monthly. */
export const DEMO_PLANS: readonly DemoPlan[] = [
  {
    name: "Framing service",
    type: "ONE_TIME",
    price: 6_500,
    description: "Your own print, framed in oak. Ready in two weeks.",
  },
  {
    name: "Printmaking workshop",
    type: "ONE_TIME",
    price: 12_000,
    description: "One day at the press, up to eight people. Paper, ink and lunch included.",
  },
  {
    name: "Print club",
    type: "SUBSCRIPTION_NO_TRIAL",
    price: 2_900,
    description: "A signed print every month, and a tenth off everything else.",
  },
  {
    name: "Studio membership",
    type: "SUBSCRIPTION_PAID_TRIAL",
    price: 4_900,
    trialDays: 7,
    trialPrice: 500,
    description: "The press on weekday evenings. Ink included, paper at cost.",
  },
  {
    name: "Print of the month",
    type: "SUBSCRIPTION_FREE_TRIAL",
    price: 1_900,
    trialDays: 14,
    description: "A small print in your mailbox, every month.",
  },
];

export type DemoSubscriber = {
  name: string;
  /** Name of the plan. */
  plan: string;
  /** Number of the test card, which decides the fate of each charge. */
  card: string;
  daysAgo: number;
  quantity?: number;
  /** Later actions of the customer or the shop. */
  later?: { do: "pause" | "cancel" | "cancel_later" | "upgrade" | "new_card"; daysAgo: number };
  /** The first charge is refunded in full, this many days later. */
  refundedAfterDays?: number;
  /** Leaves at the bank's challenge, so that the subscription never begins. */
  leaves?: true;
};

const VISA = "4242424242424242";
const MASTERCARD = "5555555555554444";
const AMEX = "378282246310005";
/** The cards of section "recurring" on the testing page. */
const NO_FUNDS = "4000000000007106";
const STOLEN = "4000000000007304";
const NEEDS_CUSTOMER = "4000000000007403";

const [MONTHLY, CLUB, STUDIO] = ["Print of the month", "Print club", "Studio membership"] as const;

const subscriber = (
  name: string,
  plan: string,
  daysAgo: number,
  card: string,
  more: Pick<DemoSubscriber, "quantity" | "later" | "refundedAfterDays" | "leaves"> = {},
): DemoSubscriber => ({ name, plan, daysAgo, card, ...more });

/** The shop's subscribers, in every status. The first charges of a trial plan follow its 14 days. */
export const DEMO_SUBSCRIBERS: readonly DemoSubscriber[] = [
  subscriber("Lena Brandt", MONTHLY, 58, VISA),
  subscriber("Marcus Hale", CLUB, 57, MASTERCARD),
  subscriber("Yuki Sato", STUDIO, 55, VISA),
  subscriber("Priya Nair", CLUB, 52, VISA, { quantity: 3 }),
  subscriber("Elif Demir", MONTHLY, 49, MASTERCARD, { later: { do: "upgrade", daysAgo: 12 } }),
  subscriber("Oscar Lund", CLUB, 47, AMEX, { later: { do: "cancel_later", daysAgo: 2 } }),
  subscriber("Hannah Roth", MONTHLY, 46, NO_FUNDS, { later: { do: "new_card", daysAgo: 31 } }),
  subscriber("Diego Ruiz", MONTHLY, 44, VISA, { refundedAfterDays: 2 }),
  subscriber("Amara Obi", CLUB, 41, VISA, { later: { do: "pause", daysAgo: 6 } }),
  subscriber("Felix Braun", MONTHLY, 40, NO_FUNDS),
  subscriber("Chloe Martin", STUDIO, 38, MASTERCARD, { later: { do: "cancel", daysAgo: 9 } }),
  subscriber("Kofi Mensah", MONTHLY, 35, VISA),
  subscriber("Ingrid Dahl", CLUB, 29, VISA),
  subscriber("Sam Whitlock", STUDIO, 26, VISA),
  subscriber("Nadia Petrov", MONTHLY, 24, NO_FUNDS, { later: { do: "cancel", daysAgo: 5 } }),
  subscriber("Joon Park", MONTHLY, 21, STOLEN),
  subscriber("Rosa Conti", MONTHLY, 18, NO_FUNDS),
  subscriber("Theo Vidal", MONTHLY, 16, NEEDS_CUSTOMER),
  subscriber("Maya Cohen", CLUB, 15, MASTERCARD),
  subscriber("Ben Archer", MONTHLY, 12, VISA),
  subscriber("Signe Holm", MONTHLY, 8, VISA),
  subscriber("Luca Ferri", STUDIO, 5, MASTERCARD),
  subscriber("Anya Kowal", CLUB, 3, VISA, { leaves: true }),
  subscriber("Grace Lin", MONTHLY, 2, AMEX),
  subscriber("Ola Berg", CLUB, 0.1, VISA, { leaves: true }),
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

/** The shares of each list add up to 1. */
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

const DECLINED = "4000000000000002";

export type OrderToday = {
  name: string;
  bought: string;
  amount: number;
  currency: string;
  card: string;
  manual?: true;
  followUps?: { action: "capture" | "void" | "refund"; body: object }[];
};

const order = (
  name: string,
  bought: string,
  amount: number,
  currency: string,
  card: string,
  more: Pick<OrderToday, "manual" | "followUps"> = {},
): OrderToday => ({ name, bought, amount, currency, card, ...more });

/** Today's orders, with every status that a payment reaches within a day. */
export const ORDERS_TODAY: OrderToday[] = [
  order("Ada Moreno", "Evening tide, framed", 4_900, "USD", VISA),
  order("Jonas Weber", "Harbour at dawn, 50 × 70 cm", 12_950, "EUR", MASTERCARD),
  order("Mei Tanaka", "Postcards, set of eight", 1_980, "USD", "4111111111111111", { manual: true }),
  order("Ruth Okafor", "Lighthouse, two sizes", 25_900, "USD", "378282246310005", {
    manual: true,
    followUps: [{ action: "capture", body: { amount: 21_000 } }],
  }),
  order("Liam Byrne", "Greeting cards, pack of six", 3_450, "USD", "6011111111111117", {
    manual: true,
    followUps: [{ action: "void", body: { reason: "ordered twice" } }],
  }),
  order("Inês Duarte", "Star chart, 60 × 90 cm", 8_999, "EUR", VISA, {
    followUps: [{ action: "refund", body: { reason: "RETURN" } }],
  }),
  order("Noah Fischer", "Oak frames, two", 15_600, "USD", MASTERCARD, {
    followUps: [{ action: "refund", body: { amount: 4_600, reason: "CUSTOMER_REQUEST" } }],
  }),
  order("Greta Larsen", "Postcards, two sets of four", 1_980, "USD", VISA, {
    followUps: [
      { action: "refund", body: { amount: 990, reason: "RETURN" } },
      { action: "refund", body: { amount: 200, reason: "OTHER", comment: "One card was bent" } },
    ],
  }),
  order("Sora Kimura", "Sticker", 780, "JPY", VISA),
  order("Eva Lindqvist", "Notebook, linen bound", 5_400, "USD", DECLINED),
  order("Omar Haddad", "Desk calendars, four", 9_900, "USD", "4000000000009995"),
  order("Clara Rossi", "Tea towels, three", 6_500, "EUR", "4000000000000044"),
  order("Tom Aldridge", "Signed linocut", 19_900, "USD", "4000000000003220"),
  order("Hugo Martin", "Map of the north coast", 7_800, "USD", "4000000000000259"),
  order("Amara Cole", "Tide tables, framed", 11_200, "USD", "4000000000002685"),
];

/** The shop's response to the dispute of the parcel that didn't arrive; the sandbox's bank then decides for it. */
export const DEMO_RESPONSE = {
  reason: "NOT_RECEIVED",
  evidence: {
    product_description: "Tide tables for the coming year, framed, sent insured and against a signature.",
    shipping_carrier: "UPS",
    shipping_tracking: "1Z999AA10123456784",
    notes: "The carrier has the customer’s signature. In the sandbox, winning_evidence decides it at once.",
  },
} as const;

type DemoLink = { link: object; buyers: { name: string; card: string }[]; visitors: number };

/** `planId`: the plan that the first link sells. */
export const demoLinks = (planId: string): DemoLink[] => [
  {
    link: { name: "On the shop window", plan_id: planId },
    buyers: [
      { name: "Ada Moreno", card: VISA },
      { name: "Jonas Weber", card: MASTERCARD },
    ],
    visitors: 3,
  },
  {
    link: { amount: 3_500, currency: "EUR", description: "Framing workshop on Saturday, one person" },
    buyers: [
      { name: "Inês Duarte", card: VISA },
      { name: "Eva Lindqvist", card: DECLINED },
    ],
    visitors: 1,
  },
  {
    link: { amount: 4_800, currency: "USD", description: "A new frame for your print, order 1042", single_use: true },
    buyers: [],
    visitors: 1,
  },
];
