import { randomInt } from "node:crypto";
import { expect } from "../fixtures";
import { type OpenedSession, formTest as test } from "../payment-form";
import { aCard, CARDS } from "../samples";

/** Declines a minute of one address, and as many at once; a card issuer may have twice as many with one merchant. */
const LIMIT = 6;
const OTHER_ISSUERS = ["4539578763621486", "5105105105105100"];

const address = () => `198.51.${randomInt(256)}.${randomInt(256)}`;
const pay = ({ form }: OpenedSession, number: string, from: string, attempt?: string) =>
  form.attempt(
    { card: aCard(number) },
    { headers: { "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": from }, ...(attempt && { attempt }) },
  );

test("an address whose cards are declined again and again must wait: 429, which costs no attempt and charges nothing", async ({
  open,
}) => {
  // Whoever has one address of IPv6 has as many as there are.
  const block = `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}`;
  const sessions = await Promise.all([open(), open()]);
  const declined = [];
  for (let decline = 0; decline < LIMIT; decline++) {
    const number = OTHER_ISSUERS[decline % 2] as string;
    const answer = await pay(sessions[decline % 2] as OpenedSession, number, `${block}::${decline + 1}`, `a${decline}`);
    declined.push(answer.taken().state.failure);
  }
  expect(declined).toEqual(Array(LIMIT).fill("card_declined"));
  const fresh = await open();
  const refused = await pay(fresh, CARDS.approved, `${block}::ffff`);
  refused.refused("rate_limited");
  const retryAfter = Number(refused.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(60 / LIMIT);
  expect(await fresh.form.state()).toMatchObject({ status: "OPEN", attempts_left: 5, payment: null, failure: null });
  // Whoever asks what became of an attempt is told.
  const again = await pay(sessions[1], OTHER_ISSUERS[1] as string, `${block}::1`, "a5");
  expect(again.taken().state.failure).toBe("card_declined");
  expect((await pay(fresh, CARDS.approved, address())).taken().state.status).toBe("COMPLETED");
});

test("while an issuer's cards are being tested with a merchant, they get no second try, from anywhere; a first one passes", async ({
  newTenant,
  open,
}) => {
  const sessions = await Promise.all([open(), open(), open()]);
  for (let decline = 0; decline < 2 * LIMIT; decline++) {
    const session = sessions[decline % sessions.length] as OpenedSession;
    expect((await pay(session, CARDS.declined, address())).taken().state.failure).toBe("card_declined");
  }
  const [used] = sessions;
  (await pay(used, CARDS.declined, address())).refused("rate_limited");
  expect(await used.form.state()).toMatchObject({ status: "OPEN", attempts_left: 1 });
  expect((await pay(await open(), CARDS.challenge, address())).taken().state.status).toBe("REQUIRES_ACTION");
  const elsewhere = await open({}, (await newTenant()).api);
  expect((await pay(elsewhere, CARDS.declined, address())).taken().state.failure).toBe("card_declined");
  expect((await pay(elsewhere, CARDS.declined, address())).taken().state.failure).toBe("card_declined");
  expect((await pay(used, CARDS.approved, address())).taken().state.status).toBe("COMPLETED");
});
