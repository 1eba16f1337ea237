import { describe, expect, test } from "vitest";
import type { Inquiry, Outcome } from "@/lib/processor/port";
import type { ProcessorObject } from "@/lib/processor/records";
import { AMOUNT, type Charge, callsTo, DUPLICATES, type ProcessorUnderTest, refused, times } from "./calls";

export function closing(under: ProcessorUnderTest): void {
  const { processor, money } = under;
  const { authorization, followUp, inquiry, end, charged, close } = callsTo(under);

  describe("an authorization that is closed", () => {
    test.each(["in time", "past its time"])("before its call is never executed: a call %s", async (when) => {
      const notAfter = new Date(Date.now() + (when === "in time" ? 60_000 : -60_000));
      const charge = await authorization("approved", { capture: true, notAfter });
      expect(await close(charge)).toEqual({ kind: "never" });
      expect(await processor.authorize(charge)).toMatchObject({ kind: "not_sent" });
      expect(await processor.authorize(charge)).toMatchObject({ kind: "not_sent" });
      expect(await processor.inquire(inquiry(charge, "authorize", charge.reference))).toEqual({ kind: "never" });
      expect(await close(charge)).toEqual({ kind: "never" });
      expect((await money(charge.reference))?.captured ?? 0).toBe(0);
      for (const kind of ["capture", "void", "refund"] as const)
        expect(await end(kind, followUp(charge, AMOUNT))).toMatchObject(refused);
    });

    test("after its call keeps its outcome", async () => {
      const charge = await charged(true);
      expect(await close(charge)).toMatchObject({ kind: "approved" });
      expect(await money(charge.reference)).toEqual({ captured: AMOUNT, refunded: 0, voided: false });
      const declined = await authorization("declined");
      const outcome = await processor.authorize(declined);
      expect(await close(declined)).toEqual(outcome);
      const challenged = await authorization("challenged");
      const asked = await processor.authorize(challenged);
      expect(await close(challenged)).toEqual(asked);
    });

    test("during its call is either closed or executed, and both calls agree", async () => {
      const ends = await Promise.all(
        times(DUPLICATES, async (turn) => {
          const charge = await authorization("approved", { capture: true });
          const calls: (() => Promise<Inquiry>)[] = [() => processor.authorize(charge), () => close(charge)];
          if (turn % 2) calls.reverse();
          const answers = (await Promise.all(calls.map((call) => call()))).map(({ kind }) => kind).sort();
          const captured = (await money(charge.reference))?.captured ?? 0;
          return `${answers.join(" and ")}, ${captured}`;
        }),
      );
      const fitting = [`approved and approved, ${AMOUNT}`, "never and not_sent, 0"];
      expect(ends.filter((one) => !fitting.includes(one))).toEqual([]);
    });

    const [held, closed, captured] =
      processor.capabilities.ownIds === true
        ? (["not_sent", "never", 0] as const)
        : // No id is kept first, so the call is executed before it can be closed.
          (["approved", "approved", AMOUNT] as const);
    test("while its call waits in `keep` moves nothing when the call continues", async () => {
      const charge = await authorization("approved", { capture: true });
      const waiting = heldKeep(charge);
      const call = processor.authorize({ ...charge, keep: waiting.keep });
      await Promise.race([waiting.reached, call]);
      expect((await close(charge)).kind).toBe(closed);
      waiting.release();
      expect((await call).kind).toBe(held);
      expect((await money(charge.reference))?.captured ?? 0).toBe(captured);
    });
  });
}

/** A `keep` that blocks until it is released. */
function heldKeep({ payment }: Charge) {
  let release = () => {};
  let reach = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const keep = async (object: ProcessorObject) => {
    reach();
    await released;
    await payment.called().keep(object);
  };
  return { keep, reached, release };
}

export function keeping(under: ProcessorUnderTest): void {
  const { processor, money } = under;
  const { authorization, followUp, inquiry, end, charged } = callsTo(under);
  const { ownIds } = processor.capabilities;
  const keptFirst = ownIds === true;
  const fails = async () => {
    throw new Error("another process holds the operation");
  };
  const answerOf = (call: Promise<Outcome>) =>
    call.then(
      ({ kind }) => kind,
      () => "rejected",
    );

  describe("the processor's own ids, if any, are kept before money can move, or found again by our reference", () => {
    test("of an authorization: if `keep` fails before the call, nothing is executed, and a repeat completes it", async () => {
      const charge = await authorization("approved", { capture: true });
      expect(await answerOf(processor.authorize({ ...charge, keep: fails }))).toBe(ownIds ? "rejected" : "approved");
      expect((await money(charge.reference))?.captured ?? 0).toBe(keptFirst ? 0 : AMOUNT);
      const known = await processor.inquire(inquiry(charge, "authorize", charge.reference));
      expect(known.kind).toBe(keptFirst ? "not_found" : "approved");
      expect(await processor.authorize(charge)).toMatchObject({ kind: "approved" });
      expect(charge.payment.kept.length > 0).toBe(ownIds !== false);
      expect(await money(charge.reference)).toMatchObject({ captured: AMOUNT });
    });

    test.each([
      ["capture", false],
      ["void", false],
      ["refund", true],
    ] as const)(
      "of a %s: if `keep` fails, nothing is executed unless the id is in the response, and a repeat executes it once",
      async (kind, capture) => {
        const charge = await charged(capture);
        const before = await money(charge.reference);
        const request = followUp(charge, AMOUNT);
        const answer = await answerOf(end(kind, { ...request, keep: fails }));
        const first = ownIds === true && under.recordsFirst;
        // If the id comes with the response, the next call finds the executed operation and keeps its id.
        expect(ownIds ? (first ? ["rejected"] : ["rejected", "approved"]) : ["approved"]).toContain(answer);
        await under.decide(charge.account);
        const moved = await money(charge.reference);
        expect(JSON.stringify(moved) !== JSON.stringify(before)).toBe(!first);
        expect(await end(kind, request)).toEqual({ kind: "approved" });
        const ended = await money(charge.reference);
        expect(ended).not.toEqual(before);
        // An executed operation isn't executed again.
        expect(first ? before : ended).toEqual(moved);
      },
    );

    test("each is kept once, however often its call is sent", async () => {
      const charge = await charged(true);
      const refund = followUp(charge, 1_000);
      for (const _ of times(3, () => null)) await end("refund", refund);
      const ids = charge.payment.kept.map(({ id }) => id);
      expect(ids).toHaveLength(ownIds ? 2 : 0);
    });
  });
}

export function challenges(under: ProcessorUnderTest): void {
  const { processor, money, answerChallenge, returned = () => ({}) } = under;
  const { authorization, followUp, continuation, inquiry, end, close } = callsTo(under);

  async function asked(capture: boolean): Promise<{ charge: Charge; url: string }> {
    const charge = await authorization("challenged", { capture });
    const outcome = await processor.authorize(charge);
    if (outcome.kind !== "action_required") throw new Error(`a challenged card answered ${outcome.kind}`);
    const { protocol, hostname } = new URL(outcome.challenge.url);
    expect(protocol === "https:" || hostname === "127.0.0.1").toBe(true);
    expect(await processor.inquire(inquiry(charge, "authorize", charge.reference))).toEqual(outcome);
    return { charge, url: outcome.challenge.url };
  }

  describe("a challenge", () => {
    test.each([true, false])(
      "moves nothing before it is passed, and then once; captured immediately: %s",
      async (capture) => {
        const { charge, url } = await asked(capture);
        expect(await end("capture", followUp(charge, AMOUNT))).toMatchObject(refused);
        expect((await money(charge.reference))?.captured ?? 0).toBe(0);
        await answerChallenge(url, true);
        const request = { ...continuation(charge, "passed"), returned: returned(url) };
        const outcomes = await Promise.all(times(8, () => processor.continueAuthorization(request)));
        for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: "approved" });
        const known = await processor.inquire(inquiry(charge, "continue", request.reference));
        expect(known).toMatchObject({ kind: "approved" });
        const captured = capture ? AMOUNT : 0;
        expect(await money(charge.reference)).toEqual({ captured, refunded: 0, voided: false });
        expect(await close(charge)).toMatchObject({ kind: "approved" });
      },
    );

    test.each(["failed", "abandoned"] as const)("that is %s declines, and takes nothing later", async (challenge) => {
      const { charge, url } = await asked(true);
      if (challenge === "failed") await answerChallenge(url, false);
      const back = challenge === "failed" ? returned(url) : {};
      const declined = { kind: "declined", decline_code: "authentication_failed" };
      const ended = { ...continuation(charge, challenge), returned: back };
      expect(await processor.continueAuthorization(ended)).toMatchObject(declined);
      await answerChallenge(url, true);
      const again = { ...continuation(charge, "passed"), returned: returned(url) };
      expect(await processor.continueAuthorization(again)).toMatchObject(declined);
      expect(await processor.inquire(inquiry(charge, "authorize", charge.reference))).toMatchObject(declined);
      expect((await money(charge.reference))?.captured ?? 0).toBe(0);
    });

    test("is decided once: concurrent opposite results get the same outcome", async () => {
      const { charge, url } = await asked(true);
      const answers = times(12, (index) => continuation(charge, index % 2 ? "passed" : "abandoned"));
      const [, ...outcomes] = await Promise.all([
        answerChallenge(url, true),
        ...answers.map((answer) => processor.continueAuthorization(answer)),
      ]);
      const known = await processor.inquire(inquiry(charge, "authorize", charge.reference));
      const ends = new Set(outcomes.map(({ kind }) => kind).filter((kind) => kind !== "action_required"));
      expect([...ends]).toEqual([known.kind]);
      expect((await money(charge.reference))?.captured).toBe(known.kind === "approved" ? AMOUNT : 0);
    });
  });
}
