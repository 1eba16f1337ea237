import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/operations";
import { identifier } from "@/lib/testing/identifiers";
import type { Api } from "../client";
import { expect, test } from "../fixtures";
import { aPayment } from "../samples";

const PAYMENTS = 150;
const AT_ONCE = 10;

/** Of each kind once at each of four places: 600 in all. */
const identifiersOf = (turn: number) =>
  [0, 1, 2, 3].map((at) => identifier(turn + 2 * at)) as [string, string, string, string];

/** Pays with identifiers of a merchant's own, looks at what came back, and sends the very same again. */
async function pay(api: Api, turn: number): Promise<void> {
  const [key, customer_id, order_id, name] = identifiersOf(turn);
  const own = { customer_id, metadata: { order_id, [name]: name } };
  const body = aPayment(own);
  const first = await api.call(createPayment, { key, body });
  expect(first.ok()).toMatchObject(own);
  const again = await api.call(createPayment, { key, body });
  expect([again.replayed, again.text]).toEqual([true, first.text]);
  const id = first.ok().id;
  expect((await api.call(getPayment, { id })).ok()).toMatchObject(own);
  // Lucky order numbers read like a card's: looked for by, too, they are identifiers.
  const found = (await api.call(listPayments, { query: { customer_id } })).ok();
  expect(found.data.map((payment) => payment.id)).toContain(id);
}

test("UUIDs, snowflakes, times, phone and order numbers are keys, ids and metadata, and come back as sent", async ({
  api,
}) => {
  let turn = 0;
  const worker = async () => {
    while (turn < PAYMENTS) await pay(api, turn++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
});
