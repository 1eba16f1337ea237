import { describe, expect, test } from "vitest";
import { BEFORE_ALL, newId } from "@/lib/ids";
import {
  type FollowUpRequest,
  type Outcome,
  type PulledReports,
  type PushedReports,
  type Report,
  UnreadableReportError,
} from "@/lib/processor/port";
import { AMOUNT, approvals, type Charge, callsTo, DUPLICATES, type ProcessorUnderTest, refused, times } from "./calls";
import { challenges, closing, keeping } from "./ends";
import { storedCards } from "./stored-cards";

/**
 * Tests that every processor must pass, depending on its capabilities. Each names a guarantee that payments
 * rely on.
 */
export function portSuite(name: string, under: ProcessorUnderTest): void {
  describe(`the port: ${name}`, () => {
    onceByReference(under);
    limits(under);
    knowing(under);
    closing(under);
    keeping(under);
    challenges(under);
    storedCards(under);
    apart(under);
    reporting(under);
  });
}

function onceByReference(under: ProcessorUnderTest): void {
  const { processor, money } = under;
  const { authorization, followUp, inquiry, end, charged } = callsTo(under);

  describe("at most once for a reference", () => {
    const same = (outcomes: readonly Outcome[]) =>
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);

    test("an authorization sent many times concurrently", async () => {
      const charge = await authorization("approved", { capture: true });
      const outcomes = await Promise.all(times(DUPLICATES, () => processor.authorize(charge)));
      same(outcomes);
      expect(outcomes[0]).toMatchObject({ kind: "approved" });
      expect(await processor.authorize(charge)).toEqual(outcomes[0]);
      expect(await processor.inquire(inquiry(charge, "authorize", charge.reference))).toEqual(outcomes[0]);
      expect(await money(charge.reference)).toEqual({ captured: AMOUNT, refunded: 0, voided: false });
    });

    test.each([
      ["capture", false, { captured: AMOUNT, refunded: 0, voided: false }],
      ["void", false, { captured: 0, refunded: 0, voided: true }],
      ["refund", true, { captured: AMOUNT, refunded: 3_000, voided: false }],
    ] as const)("a %s sent many times concurrently", async (kind, capture, after) => {
      const charge = await charged(capture);
      const request = followUp(charge, kind === "refund" ? 3_000 : AMOUNT);
      same(await Promise.all(times(DUPLICATES, () => processor[kind](request))));
      expect(await end(kind, request)).toEqual({ kind: "approved" });
      expect(await end(kind, request)).toEqual({ kind: "approved" });
      expect(await processor.inquire(inquiry(charge, kind, request.reference))).toEqual({ kind: "approved" });
      expect(await money(charge.reference)).toEqual(after);
    });

    test("a decline, which repeats the same outcome", async () => {
      const charge = await authorization("declined", { capture: true });
      const outcome = await processor.authorize(charge);
      expect(outcome).toMatchObject({ kind: "declined", decline_code: expect.any(String) });
      expect(await processor.authorize(charge)).toEqual(outcome);
      expect(await processor.inquire(inquiry(charge, "authorize", charge.reference))).toEqual(outcome);
      expect((await money(charge.reference))?.captured ?? 0).toBe(0);
    });

    test("a recorded refusal, which stays refused even if it would be allowed later", async () => {
      const charge = await charged(false);
      const refund = followUp(charge, 1_000);
      const known = () => processor.inquire(inquiry(charge, "refund", refund.reference));
      expect(await end("refund", refund)).toMatchObject(refused);
      // If the refusal isn't recorded, the same request counts as new once it is allowed.
      expect(await known()).toMatchObject(under.recordsFirst ? refused : { kind: "not_found" });
      expect(await money(charge.reference)).toEqual({ captured: 0, refunded: 0, voided: false });
      expect(await end("capture", followUp(charge, AMOUNT))).toEqual({ kind: "approved" });
      expect(await known()).toMatchObject(under.recordsFirst ? refused : { kind: "not_found" });
      expect(await end("refund", refund)).toMatchObject(under.recordsFirst ? refused : { kind: "approved" });
      expect((await money(charge.reference))?.refunded).toBe(under.recordsFirst ? 0 : 1_000);
      expect(await known()).toMatchObject(under.recordsFirst ? refused : { kind: "approved" });
    });

    test("a late call, whose outcome matches the processor's books", async () => {
      const charge = await authorization("approved", { capture: true, notAfter: new Date(Date.now() - 60_000) });
      const outcome = await processor.authorize(charge);
      const known = await processor.inquire(inquiry(charge, "authorize", charge.reference));
      const held = await money(charge.reference);
      expect([
        ["approved", "approved", AMOUNT],
        ["not_sent", "not_found", null],
      ]).toContainEqual([outcome.kind, known.kind, held?.captured ?? null]);
    });
  });
}

function limits(under: ProcessorUnderTest): void {
  const { processor, money } = under;
  const { authorization, followUp, inquiry, end, endsOf, charged } = callsTo(under);

  describe("never more than is left", () => {
    test("concurrent refunds of one charge", async () => {
      const charge = await charged(true, 1_000);
      const refunds = times(DUPLICATES, () => followUp(charge, 300));
      expect(approvals(await endsOf(refunds.map((request) => ({ kind: "refund", request }))))).toBe(3);
      expect(await money(charge.reference)).toEqual({ captured: 1_000, refunded: 900, voided: false });
    });

    test("a capture of any part", async () => {
      const charge = await charged(false);
      expect(await end("capture", followUp(charge, AMOUNT + 1))).toMatchObject(refused);
      const part = processor.capabilities.partialCapture ? 4_000 : AMOUNT;
      const captures = times(8, () => followUp(charge, part));
      expect(approvals(await endsOf(captures.map((request) => ({ kind: "capture", request }))))).toBe(1);
      expect(await money(charge.reference)).toEqual({ captured: part, refunded: 0, voided: false });
      expect(await end("refund", followUp(charge, part + 1))).toMatchObject(refused);
      expect(await end("refund", followUp(charge, part))).toEqual({ kind: "approved" });
    });

    test("a part only if the processor declares partial captures", async () => {
      const charge = await charged(false);
      const part = await end("capture", followUp(charge, 4_000));
      expect(part.kind).toBe(processor.capabilities.partialCapture ? "approved" : "declined");
      expect((await money(charge.reference))?.captured).toBe(processor.capabilities.partialCapture ? 4_000 : 0);
    });

    test("either a void or a capture of one charge", async () => {
      for (const charge of await Promise.all(times(6, () => charged(false)))) {
        const rivals = times(4, (index) => ({
          kind: index % 2 ? ("void" as const) : ("capture" as const),
          request: followUp(charge, AMOUNT),
        }));
        expect(approvals(await endsOf(rivals))).toBe(1);
        const held = await money(charge.reference);
        expect(held?.voided).toBe(held?.captured === 0);
      }
    });

    test.each([true, false])(
      "a void with evenCaptured, which also refunds a full capture; captured: %s",
      async (capture) => {
        const charge = await charged(capture);
        const request = { ...followUp(charge, AMOUNT), evenCaptured: true } as const;
        for (const _ of times(3, () => null)) expect(await end("void", request)).toEqual({ kind: "approved" });
        const known = await processor.inquire(inquiry(charge, "void", request.reference));
        expect(known).toEqual({ kind: "approved" });
        const returned = { captured: AMOUNT, refunded: AMOUNT, voided: false };
        const released = { captured: 0, refunded: 0, voided: true };
        expect(await money(charge.reference)).toEqual(capture ? returned : released);
        const again = { ...followUp(charge, AMOUNT), evenCaptured: true } as const;
        // Nothing is left to release or refund: the void may be approved, but moves nothing.
        expect(["approved", "declined"]).toContain((await end("void", again)).kind);
        expect(await money(charge.reference)).toEqual(capture ? returned : released);
      },
    );

    test("nothing of a charge that was voided or declined, or is in another currency", async () => {
      const voided = await charged(false);
      expect(await end("void", followUp(voided, AMOUNT))).toEqual({ kind: "approved" });
      expect(await end("capture", followUp(voided, AMOUNT))).toMatchObject(refused);
      expect(await end("void", followUp(await charged(true), AMOUNT))).toMatchObject(refused);
      const held = await charged(false);
      expect(await end("capture", followUp(held, AMOUNT, { currency: "EUR" }))).toMatchObject(refused);
      const declined = await authorization("declined");
      await processor.authorize(declined);
      for (const kind of ["capture", "void", "refund"] as const)
        expect(await end(kind, followUp(declined, AMOUNT))).toMatchObject(refused);
    });
  });
}

function knowing(under: ProcessorUnderTest): void {
  const { processor, money } = under;
  const { authorization, inquiry, charged } = callsTo(under);

  test.each(["authorize", "continue", "capture", "void", "refund"] as const)(
    "a %s that never arrived is not found, and an inquiry moves nothing",
    async (kind) => {
      const charge = kind === "authorize" ? await authorization() : await charged(false);
      const reference = kind === "authorize" ? charge.reference : newId();
      const before = await money(charge.reference);
      expect(await processor.inquire(inquiry(charge, kind, reference))).toEqual({ kind: "not_found" });
      expect(await processor.inquire(inquiry(charge, kind, reference))).toEqual({ kind: "not_found" });
      expect(await money(charge.reference)).toEqual(before);
    },
  );

  test("not found becomes conclusive within the operation's lease", () => {
    expect(processor.notFoundConclusiveAfterMs).toBeLessThanOrEqual(2_000);
  });

  test("a token that it did not make moves nothing", async () => {
    const { token } = await authorization();
    const at = Math.floor(token.length * 0.75);
    const altered = `${token.slice(0, at)}${token[at] === "a" ? "b" : "a"}${token.slice(at + 1)}`;
    for (const garbage of ["", "tok", altered, token.slice(0, at), "' or 1=1 --"]) {
      const charge = await authorization("approved", { token: garbage });
      expect((await processor.authorize(charge)).kind).toBe("declined");
      expect(await money(charge.reference)).toBeNull();
    }
  });

  const { unusedCards } = under;
  test.runIf(unusedCards)("unused card data is deleted, and payments with used cards stay", async () => {
    if (!unusedCards) return;
    const charge = await charged(true);
    await authorization();
    await unusedCards.age();
    const kept = await unusedCards.count();
    expect(kept).toBeGreaterThan(0);
    expect(await processor.forgetOldAttempts()).toBeGreaterThanOrEqual(kept);
    expect(await unusedCards.count()).toBe(0);
    expect(await processor.inquire(inquiry(charge, "authorize", charge.reference))).toMatchObject({ kind: "approved" });
    expect(await money(charge.reference)).toMatchObject({ captured: AMOUNT });
  });
}

function apart(under: ProcessorUnderTest): void {
  const { processor, money } = under;
  const { authorization, followUp, end, charged, close } = callsTo(under);

  describe("accounts are isolated", () => {
    test("no account moves another's money, whatever the reference", async () => {
      const charge = await charged(true);
      const stranger = newId();
      const held = await charged(false);
      expect(await end("refund", followUp(charge, 1, { account: stranger }))).toMatchObject(refused);
      for (const kind of ["capture", "void"] as const)
        expect(await end(kind, followUp(held, AMOUNT, { account: stranger }))).toMatchObject(refused);
      expect(await money(charge.reference)).toEqual({ captured: AMOUNT, refunded: 0, voided: false });
      expect(await money(held.reference)).toEqual({ captured: 0, refunded: 0, voided: false });
    });

    test("another account's reference is neither executed again nor closed", async () => {
      const charge = await charged(true);
      const stranger = await authorization("approved", { capture: true, reference: charge.reference });
      expect(await processor.authorize(stranger)).toMatchObject({ kind: "not_sent" });
      expect(await close(charge, stranger.account)).toMatchObject({ kind: "unknown" });
      expect(await close(charge)).toMatchObject({ kind: "approved" });
      expect(await money(charge.reference)).toEqual({ captured: AMOUNT, refunded: 0, voided: false });
    });
  });
}

function reporting(under: ProcessorUnderTest): void {
  const { processor, money } = under;
  const { authorization, followUp, inquiry, end } = callsTo(under);
  const { reports } = processor;

  /** A refund that was accepted and then reversed. */
  async function returned() {
    const charge = await authorization("refundComesBack", { capture: true });
    await processor.authorize(charge);
    const refund = followUp(charge, 4_000);
    expect(await end("refund", refund)).toEqual({ kind: "approved" });
    expect(await money(charge.reference)).toMatchObject({ refunded: 4_000 });
    await under.giveBack(charge.account);
    return { charge, refund };
  }

  test("a returned refund is declined from then on, and its money is back", async () => {
    const { charge, refund } = await returned();
    expect(await processor.inquire(inquiry(charge, "refund", refund.reference))).toMatchObject(refused);
    expect(await processor.refund(refund)).toMatchObject(refused);
    expect(await money(charge.reference)).toEqual({ captured: AMOUNT, refunded: 0, voided: false });
  });

  describe(`reports that are ${reports.kind}`, () => {
    if (reports.kind === "pulled") pulled(reports, returned, under);
    else pushed(reports, returned, under);
  });
}

type Returned = () => Promise<{ charge: Charge; refund: FollowUpRequest }>;

function pulled(reports: PulledReports, returned: Returned, under: ProcessorUnderTest): void {
  test("are listed until they are acknowledged, and never arrive as messages", async () => {
    const { charge, refund } = await returned();
    const list = async () =>
      (await reports.list(1_000, BEFORE_ALL)).filter(({ account }) => account === charge.account);
    const report = { reference: refund.reference, account: charge.account };
    expect(await list()).toMatchObject([report]);
    expect(await list()).toMatchObject([report]);
    for (const { id } of await list()) await reports.acknowledge(id);
    expect(await list()).toEqual([]);
    expect(await under.messages(charge.account)).toEqual([]);
  });
}

function pushed(reports: PushedReports, returned: Returned, under: ProcessorUnderTest): void {
  test("identify the returned refund", async () => {
    const { charge, refund } = await returned();
    const messages = await under.messages(charge.account);
    const told = (await Promise.all(messages.map(async (message) => reports.read(message)))).flat();
    const ids = charge.payment.kept.filter(({ kind }) => kind === "refund").map(({ id }) => id);
    const isNamed = (report: Report) =>
      "object" in report
        ? ids.includes(report.object)
        : "reference" in report && report.reference === refund.reference && report.account === charge.account;
    expect(told.filter(isNamed).length).toBeGreaterThan(0);
  });

  test("are read every time they are sent, and only unmodified", async () => {
    const { charge } = await returned();
    const messages = await under.messages(charge.account);
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) {
      expect(await reports.read(message)).toEqual(await reports.read(message));
      const forged = [
        ...(under.forged?.(message) ?? [
          { ...message, body: message.body.replace(/[0-9a-f]/, (digit) => (digit === "0" ? "1" : "0")) },
          { ...message, body: `${message.body} ` },
          { ...message, headers: new Headers() },
        ]),
        { headers: message.headers, body: "" },
        { headers: message.headers, body: "{}" },
      ];
      for (const one of forged)
        await expect((async () => reports.read(one))()).rejects.toBeInstanceOf(UnreadableReportError);
    }
  });
}
