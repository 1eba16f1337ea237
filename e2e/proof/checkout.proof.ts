import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "@/db/client";
import type { CheckoutAttemptResponse } from "@/lib/contract/checkout/checkout";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { testDatabase } from "../fixtures/database";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { type CardName, Client, inParallel } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { Checkout, type Form } from "./shopper";
import { createTenant } from "./tenant";

const SESSIONS = Number(process.env.PROOF_SESSIONS ?? 36);
const KILLS = Number(process.env.PROOF_KILLS ?? 4);
const SHOPPERS = 18;
/** Shoppers' cards, in rotation: issuer decisions, and failures on the way to the issuer. */
const WALLET: readonly CardName[] = ["good", "declined", "lostAnswer", "good", "refusedOnce", "challenge", "garbage"];

const { db, url } = await testDatabase();

/** One session: two tabs with a card each, and sometimes the merchant's server in between. */
async function shop(client: Client, number: number): Promise<Checkout> {
  const created = await client.until({
    key: randomUUID(),
    path: "/v1/client-sessions",
    body: { amount: 1_000 + number, currency: "USD", metadata: { number: String(number) } },
  });
  const checkout = new Checkout(client, JSON.parse(created.text) as ClientSession);
  const cardOf = (tab: number) => WALLET[(number + tab * 3) % WALLET.length] as CardName;
  const tabs = [0, 1].map(async (tab) => {
    for (let tries = 0; tries < 3; tries++) {
      await checkout.pay(cardOf(tab + tries));
      await checkout.answerChallenge(number % 2 ? "passed" : "failed");
      if ((await checkout.state()).status !== "OPEN") return;
    }
  });
  if (number % 4 === 1) tabs.push(payByToken(checkout));
  if (number % 5 === 2) tabs.push(cancel(checkout));
  await Promise.all(tabs);
  return checkout;
}

async function payByToken(checkout: Checkout): Promise<void> {
  const made = await checkout.pay("good", "tokenize");
  if (made.status !== 200) return;
  const { payment_token } = JSON.parse(made.text) as CheckoutAttemptResponse;
  const { amount, currency } = checkout.session;
  const pay = () =>
    checkout.client.until({
      key: randomUUID(),
      path: "/v1/payments",
      body: { amount, currency, payment_token: payment_token?.id },
    });
  await Promise.all([pay(), pay()]);
}

async function cancel({ client, session }: Checkout): Promise<void> {
  await wait(20);
  const path = `/v1/client-sessions/${session.id}/cancel`;
  for (;;) {
    const answer = await client.post({ key: randomUUID(), path, body: {} }).catch(() => null);
    if (answer && answer.status < 500) return;
    await wait(30);
  }
}

type Paid = { session: string; paid: number; charged: number; open: boolean; status: string };

/** Payments per session, in our books and in the processor's own. */
async function paymentsOf(db: Database, environmentId: string): Promise<Paid[]> {
  return db.sql<Paid[]>`
    select s.id as session, s.status, s.open_payment_id is not null as open,
      count(p.id) filter (where p.status in ('CAPTURED', 'AUTHORIZED', 'SETTLED'))::int as paid,
      count(c.reference) filter (where c.outcome = 'approved' and not c.voided)::int as charged
    from client_sessions s
    left join transactions t on t.environment_id = s.environment_id and t.client_session_id = s.id and t.type = 'CHARGE'
    left join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
    left join sandbox_processor.charges c on c.reference = p.authorization_id
    where s.environment_id = ${environmentId} group by s.environment_id, s.id`;
}

/** Repeats an attempt much later: its response must match the session that the merchant's server reads. */
async function expectOneTruth(checkouts: readonly Checkout[]): Promise<void> {
  const wrong: string[] = [];
  await inParallel(checkouts, 8, async (checkout) => {
    const truth = await checkout.client.get<ClientSession>(`/v1/client-sessions/${checkout.session.id}`);
    for (const { attempt, answer } of checkout.answered) {
      const again = await checkout.until(attempt);
      const told = again.status === 200 ? (JSON.parse(again.text) as CheckoutAttemptResponse) : null;
      const paid = told?.state.payment?.id ?? null;
      const token = (form: Form) => (JSON.parse(form.text) as Partial<CheckoutAttemptResponse>).payment_token?.id;
      const agrees = again.status === answer.status && token(again) === token(answer);
      if (!agrees || (told && paid !== truth.payment_id))
        wrong.push(`${answer.status} ${answer.text}\nnow ${again.status} ${again.text}\n${JSON.stringify(truth)}`);
    }
  });
  expect(wrong).toEqual([]);
}

test(`of ${SESSIONS} sessions paid in two tabs each while the service is killed ${KILLS} times, none is paid twice or left hanging`, async () => {
  let host: ProofHost = await startHost({ databaseUrl: url });
  onTestFinished(() => host.stop());
  const tenant = await createTenant(db);
  const client = new Client(tenant.apiKey, () => host.baseUrl);
  let done = false;
  const shopping = inParallel(
    Array.from({ length: SESSIONS }, (_, number) => number),
    SHOPPERS,
    (number) => shop(client, number),
  ).finally(() => {
    done = true;
  });
  shopping.catch(() => {});
  let kills = 0;
  while (!done && kills < KILLS) {
    await wait(100 + Math.random() * 500);
    await host.kill("SIGKILL");
    host = await startHost({ databaseUrl: url, port: host.port });
    kills++;
  }
  const checkouts = await shopping;
  await untilNothingIsOpen(db);
  // A shopper who left before completing the challenge is not challenged again.
  await Promise.all(checkouts.map((checkout) => checkout.answerChallenge("abandoned")));
  await untilNothingIsOpen(db);

  const sessions = await paymentsOf(db, tenant.environmentId);
  expect(sessions).toHaveLength(SESSIONS);
  const paid = sessions.filter(({ status }) => status === "COMPLETED");
  expect(sessions.filter((one) => one.paid !== one.charged || one.paid > 1)).toEqual([]);
  expect(sessions.filter((one) => one.open || (one.paid === 1) !== (one.status === "COMPLETED"))).toEqual([]);
  await expectOneTruth(checkouts);
  await expectCleanBooks(db);
  expect(kills).toBeGreaterThan(0);
  expect(paid.length).toBeGreaterThan(SESSIONS / 3);
  const attempts = checkouts.flatMap(({ answered }) => answered).length;
  reportFigure(`${kills} kills, ${attempts} attempts, ${paid.length} of ${SESSIONS} sessions paid, each once`);
});
