import { dispatch } from "@/lib/http/dispatch";
import { textOf } from "@/lib/http/response";

type Order = {
  amount: number;
  currency: string;
  card: string;
  customer: string;
  description: string;
  manual?: true;
  followUps?: { action: "capture" | "void" | "refund"; body: object }[];
};

/** A small shop's morning: every status that a payment can have by itself. */
const ORDERS: Order[] = [
  {
    amount: 4_900,
    currency: "USD",
    card: "4242424242424242",
    customer: "Ada Moreno",
    description: "Evening tide, framed",
  },
  {
    amount: 12_950,
    currency: "EUR",
    card: "5555555555554444",
    customer: "Jonas Weber",
    description: "Harbour at dawn, 50 × 70 cm",
  },
  {
    amount: 1_980,
    currency: "USD",
    card: "4111111111111111",
    customer: "Mei Tanaka",
    description: "Postcards, set of eight",
    manual: true,
  },
  {
    ...{
      amount: 25_900,
      currency: "USD",
      card: "378282246310005",
      customer: "Ruth Okafor",
      description: "Lighthouse, two sizes",
    },
    ...{ manual: true, followUps: [{ action: "capture", body: { amount: 21_000 } }] },
  },
  {
    ...{
      amount: 3_450,
      currency: "USD",
      card: "6011111111111117",
      customer: "Liam Byrne",
      description: "Greeting cards, pack of six",
    },
    ...{ manual: true, followUps: [{ action: "void", body: { reason: "ordered twice" } }] },
  },
  {
    ...{
      amount: 8_999,
      currency: "EUR",
      card: "4242424242424242",
      customer: "Inês Duarte",
      description: "Star chart, 60 × 90 cm",
    },
    followUps: [{ action: "refund", body: { reason: "RETURN" } }],
  },
  {
    ...{
      amount: 15_600,
      currency: "USD",
      card: "5555555555554444",
      customer: "Noah Fischer",
      description: "Oak frames, two",
    },
    followUps: [{ action: "refund", body: { amount: 4_600, reason: "CUSTOMER_REQUEST" } }],
  },
  {
    ...{
      amount: 1_980,
      currency: "USD",
      card: "4242424242424242",
      customer: "Greta Larsen",
      description: "Postcards, two sets of four",
    },
    followUps: [
      { action: "refund", body: { amount: 990, reason: "RETURN" } },
      { action: "refund", body: { amount: 200, reason: "OTHER", comment: "One card was bent" } },
    ],
  },
  { amount: 780, currency: "JPY", card: "4242424242424242", customer: "Sora Kimura", description: "Sticker" },
  {
    amount: 5_400,
    currency: "USD",
    card: "4000000000000002",
    customer: "Eva Lindqvist",
    description: "Notebook, linen bound",
  },
  {
    amount: 9_900,
    currency: "USD",
    card: "4000000000009995",
    customer: "Omar Haddad",
    description: "Desk calendars, four",
  },
  {
    amount: 6_500,
    currency: "EUR",
    card: "4000000000000044",
    customer: "Clara Rossi",
    description: "Tea towels, three",
  },
  {
    amount: 19_900,
    currency: "USD",
    card: "4000000000003220",
    customer: "Tom Aldridge",
    description: "Signed linocut",
  },
];

/** Takes the demo's payments through the API, as its shop would. Returns how many there are now. */
export async function seedDemoPayments(key: string): Promise<number> {
  let made = 0;
  for (const [index, order] of ORDERS.entries()) {
    const payment = await post(key, "/v1/payments", `demo-${index + 1}`, bodyOf(order, index));
    if (payment) made++;
    if (!payment?.id) continue;
    for (const [nth, { action, body }] of (order.followUps ?? []).entries())
      await post(key, `/v1/payments/${payment.id}/${action}`, `demo-${index + 1}-${action}-${nth + 1}`, body);
  }
  return made;
}

function bodyOf({ amount, currency, card, customer, description, manual }: Order, index: number): object {
  const name = customer
    .toLowerCase()
    .normalize("NFD")
    .replace(/[^a-z ]/g, "")
    .replace(" ", ".");
  return {
    amount,
    currency,
    card: {
      number: card,
      exp_month: 12,
      exp_year: new Date().getUTCFullYear() + 3,
      cvv: card.startsWith("37") ? "1234" : "123",
    },
    capture_method: manual ? "manual" : "automatic",
    customer_id: `customer-${name}`,
    customer_name: customer,
    customer_email: `${name}@shopper.example`,
    billing_address: {
      line1: `${10 + index} Mill Lane`,
      city: "Denver",
      state: "CO",
      postal_code: "80202",
      country: "US",
    },
    description,
  };
}

/** The answer's body; also a declined payment (402) is one. */
async function post(key: string, path: string, idempotencyKey: string, body: object): Promise<{ id?: string } | null> {
  const request = new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, "x-idempotency-key": idempotencyKey },
    body: JSON.stringify(body),
  });
  const { status, body: answer } = await dispatch(request, { ip: "127.0.0.1" });
  return status < 300 || status === 402 ? (JSON.parse(textOf(answer)) as { id?: string }) : null;
}
