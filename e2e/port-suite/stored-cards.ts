import { describe, expect, test } from "vitest";
import { newId } from "@/lib/ids";
import type { ContinueStoringRequest, StoreCardOutcome, StoreCardRequest } from "@/lib/processor/cards";
import type { AuthorizeRequest } from "@/lib/processor/port";
import { AMOUNT, CHALLENGE_PAGE, callsTo, DUPLICATES, type ProcessorUnderTest, times } from "./calls";

type Stored = Extract<StoreCardOutcome, { kind: "stored" }>;

/** Guarantees for stored cards. Processors without the capability must have none of the calls. */
export function storedCards(under: ProcessorUnderTest): void {
  const { processor, money, cards, answerChallenge, returned = () => ({}) } = under;
  const { authorization, continuation, inquiry } = callsTo(under);
  const { storeCard, continueStoring, removeCard, capabilities } = processor;

  test("it has the calls for stored cards if it declares the capability, and none of them otherwise", () => {
    const calls = [storeCard, continueStoring, removeCard].map((call) => call !== undefined);
    expect(calls).toEqual(times(3, () => capabilities.storedCards));
  });
  if (!storeCard || !continueStoring || !removeCard) return;

  const customerOf = () => newId();

  async function check(card: keyof typeof cards = "approved", account = newId()): Promise<StoreCardRequest> {
    const { token } = await processor.tokenize(account, cards[card]);
    const holder = { name: "Ada Lovelace", address: null };
    return { reference: newId(), account, customer: customerOf(), token, holder, challengePage: CHALLENGE_PAGE };
  }
  async function stored(card: keyof typeof cards = "approved", account = newId()) {
    const request = await check(card, account);
    const outcome = await storeCard?.(request);
    expect(outcome).toMatchObject({ kind: "stored" });
    const { token } = outcome as Stored;
    return { account, customer: request.customer, token };
  }
  type Card = Awaited<ReturnType<typeof stored>>;
  const charge = (
    { account, customer, token }: Card,
    initiator: "customer" | "merchant" = "merchant",
    given: Partial<AuthorizeRequest> = {},
  ) => authorization("approved", { account, token, capture: true, stored: { customer, initiator }, ...given });
  const paid = { captured: AMOUNT, refunded: 0, voided: false };

  describe("stored cards", () => {
    test("a check stores the card once for its reference, and moves nothing", async () => {
      const request = await check();
      const outcomes = await Promise.all(times(8, () => storeCard(request)));
      expect(outcomes[0]).toMatchObject({ kind: "stored", token: expect.stringMatching(/./) });
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
      expect(await storeCard(request)).toEqual(outcomes[0]);
      expect((await money(request.reference))?.captured ?? 0).toBe(0);
    });

    test.each(["customer", "merchant"] as const)("a %s charges it again and again", async (initiator) => {
      const card = await stored();
      for (const capture of [true, true, false]) {
        const request = await charge(card, initiator, { capture });
        const outcome = await processor.authorize(request);
        expect(outcome).toMatchObject({ kind: "approved" });
        expect(await money(request.reference)).toEqual({ ...paid, captured: capture ? AMOUNT : 0 });
        expect(await processor.inquire(inquiry(request, "authorize", request.reference))).toEqual(outcome);
      }
    });

    test("a charge that is sent many times concurrently is made once", async () => {
      const request = await charge(await stored());
      const outcomes = await Promise.all(times(DUPLICATES, () => processor.authorize(request)));
      expect(outcomes[0]).toMatchObject({ kind: "approved" });
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
      expect(await money(request.reference)).toEqual(paid);
    });

    test("a declined check stores nothing, and is declined again", async () => {
      const request = await check("declined");
      const declined = { kind: "declined", decline_code: "insufficient_funds" };
      expect(await storeCard(request)).toMatchObject(declined);
      expect(await storeCard(request)).toMatchObject(declined);
    });

    test("an approved payment stores its card, and returns its token again", async () => {
      const customer = customerOf();
      const request = await authorization("approved", { capture: true, store: { customer } });
      const outcome = await processor.authorize(request);
      expect(outcome).toMatchObject({ kind: "approved", storedToken: expect.stringMatching(/./) });
      expect(await processor.authorize(request)).toEqual(outcome);
      // This is all that recovery learns after a lost response.
      expect(await processor.inquire(inquiry(request, "authorize", request.reference))).toEqual(outcome);
      const { storedToken: token = "" } = outcome as { storedToken?: string };
      const again = await charge({ account: request.account, customer, token });
      expect(await processor.authorize(again)).toMatchObject({ kind: "approved" });
      expect(await money(again.reference)).toEqual(paid);
    });

    test("a payment that doesn't request it, or is declined, stores nothing", async () => {
      const plain = await processor.authorize(await authorization());
      expect(plain).toMatchObject({ kind: "approved" });
      expect(plain).not.toHaveProperty("storedToken");
      const declined = await processor.authorize(
        await authorization("declined", { store: { customer: customerOf() } }),
      );
      expect(declined).toMatchObject({ kind: "declined" });
      expect(declined).not.toHaveProperty("storedToken");
    });

    test("a payment with a challenge stores its card once the challenge is passed", async () => {
      const request = await authorization("challenged", { capture: true, store: { customer: customerOf() } });
      const first = await processor.authorize(request);
      if (first.kind !== "action_required") throw new Error(`it answered ${first.kind}`);
      expect(first).not.toHaveProperty("storedToken");
      await answerChallenge(first.challenge.url, true);
      const next = { ...continuation(request, "passed"), returned: returned(first.challenge.url) };
      const outcome = await processor.continueAuthorization(next);
      expect(outcome).toMatchObject({ kind: "approved", storedToken: expect.stringMatching(/./) });
      expect(await processor.inquire(inquiry(request, "continue", next.reference))).toEqual(outcome);
    });

    test.each([true, false])("a check with a challenge, passed: %s", async (passed) => {
      const request = await check("challenged");
      const first = await storeCard(request);
      if (first.kind !== "action_required") throw new Error(`it answered ${first.kind}`);
      expect(await storeCard(request)).toMatchObject({ kind: "action_required", pending: first.pending });
      await answerChallenge(first.challenge.url, passed);
      const { reference, account, customer, challengePage } = request;
      const next: ContinueStoringRequest = {
        reference,
        account,
        customer,
        challengePage,
        pending: first.pending,
        challenge: passed ? "passed" : "failed",
        returned: returned(first.challenge.url),
      };
      const outcome = await continueStoring(next);
      if (!passed) {
        expect(outcome).toMatchObject({ kind: "declined", decline_code: "authentication_failed" });
        expect(await continueStoring({ ...next, challenge: "passed" })).toMatchObject({ kind: "declined" });
        return;
      }
      expect(outcome).toMatchObject({ kind: "stored" });
      expect(await continueStoring(next)).toEqual(outcome);
      const card = { account, customer, token: (outcome as Stored).token };
      expect(await processor.authorize(await charge(card))).toMatchObject({ kind: "approved" });
    });

    test("a removed card is refused for every initiator, and removing it again changes nothing", async () => {
      const card = await stored();
      const before = await charge(card);
      const outcome = await processor.authorize(before);
      await removeCard(card.account, card);
      await removeCard(card.account, card);
      for (const initiator of ["customer", "merchant"] as const) {
        const after = await charge(card, initiator);
        expect(await processor.authorize(after)).toMatchObject({ kind: "declined" });
        expect((await money(after.reference))?.captured ?? 0).toBe(0);
      }
      // Earlier payments with it remain, even for late inquiries.
      expect(await processor.authorize(before)).toEqual(outcome);
      expect(await money(before.reference)).toEqual(paid);
    });

    test("removing a card that was never stored succeeds", async () => {
      const card = await stored();
      const unknown = `${card.token.slice(0, -4)}0000`;
      await removeCard(card.account, { ...card, token: unknown });
      expect(await processor.authorize(await charge(card))).toMatchObject({ kind: "approved" });
    });

    test("another customer, or none, can neither pay with it nor remove it", async () => {
      const card = await stored();
      const other = customerOf();
      for (const given of [{ stored: { customer: other, initiator: "merchant" } as const }, { stored: undefined }]) {
        const request = await charge(card, "merchant", given as Partial<AuthorizeRequest>);
        expect(await processor.authorize(request)).toMatchObject({ kind: "declined" });
        expect((await money(request.reference))?.captured ?? 0).toBe(0);
      }
      await removeCard(card.account, { ...card, customer: other });
      expect(await processor.authorize(await charge(card))).toMatchObject({ kind: "approved" });
    });

    test("a token that it did not make moves nothing", async () => {
      const { account, customer, token } = await stored();
      for (const garbage of ["", "tok", `${token}0`, token.slice(0, -4), "' or 1=1 --"]) {
        const request = await charge({ account, customer, token: garbage });
        expect(await processor.authorize(request)).toMatchObject({ kind: "declined" });
        expect((await money(request.reference))?.captured ?? 0).toBe(0);
      }
    });
  });
}
