import { textOf } from "@/lib/http/answer";
import { dispatch } from "@/lib/http/dispatch";

type Order = {
  amount: number;
  currency: string;
  card: string;
  customer: string;
  description: string;
  manual?: true;
  followUp?: { action: "capture" | "void" | "refund"; body: object };
};

/** A small shop's morning: every status that a payment can have by itself. */
const ORDERS: Order[] = [
  { amount: 4_900, currency: "USD", card: "4242424242424242", customer: "Ada Moreno", description: "Running shoes" },
  { amount: 12_950, currency: "EUR", card: "5555555555554444", customer: "Jonas Weber", description: "Rain jacket" },
  {
    amount: 1_980,
    currency: "USD",
    card: "4111111111111111",
    customer: "Mei Tanaka",
    description: "Water bottle",
    manual: true,
  },
  {
    ...{
      amount: 25_900,
      currency: "USD",
      card: "378282246310005",
      customer: "Ruth Okafor",
      description: "Backpack, two colours",
    },
    ...{ manual: true, followUp: { action: "capture", body: { amount: 21_000 } } },
  },
  {
    ...{
      amount: 3_450,
      currency: "USD",
      card: "6011111111111117",
      customer: "Liam Byrne",
      description: "Socks, pack of six",
    },
    ...{ manual: true, followUp: { action: "void", body: { reason: "ordered twice" } } },
  },
  {
    ...{ amount: 8_999, currency: "EUR", card: "4242424242424242", customer: "Inês Duarte", description: "Head lamp" },
    followUp: { action: "refund", body: { reason: "RETURN" } },
  },
  {
    ...{
      amount: 15_600,
      currency: "USD",
      card: "5555555555554444",
      customer: "Noah Fischer",
      description: "Tent pegs and tarp",
    },
    followUp: { action: "refund", body: { amount: 4_600, reason: "CUSTOMER_REQUEST" } },
  },
  { amount: 780, currency: "JPY", card: "4242424242424242", customer: "Sora Kimura", description: "Key ring" },
  { amount: 5_400, currency: "USD", card: "4000000000000002", customer: "Eva Lindqvist", description: "Cap" },
  { amount: 9_900, currency: "USD", card: "4000000000009995", customer: "Omar Haddad", description: "Fleece" },
  { amount: 6_500, currency: "EUR", card: "4000000000000044", customer: "Clara Rossi", description: "Gloves" },
  { amount: 19_900, currency: "USD", card: "4000000000003220", customer: "Tom Aldridge", description: "Sleeping bag" },
];

/** Takes the demo's payments through the API, as its shop would. Returns how many there are now. */
export async function seedDemoPayments(key: string): Promise<number> {
  let made = 0;
  for (const [index, order] of ORDERS.entries()) {
    const payment = await post(key, "/v1/payments", `demo-${index + 1}`, bodyOf(order));
    if (payment) made++;
    if (!payment?.id || !order.followUp) continue;
    const { action, body } = order.followUp;
    await post(key, `/v1/payments/${payment.id}/${action}`, `demo-${index + 1}-${action}`, body);
  }
  return made;
}

function bodyOf({ amount, currency, card, customer, description, manual }: Order): object {
  const [first = ""] = customer
    .toLowerCase()
    .normalize("NFD")
    .replace(/[^a-z ]/g, "")
    .split(" ");
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
    customer_id: `customer-${first}`,
    customer_name: customer,
    customer_email: `${first}@shopper.example`,
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
