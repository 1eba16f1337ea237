import type Stripe from "stripe";
import { afterAll, describe, expect, test } from "vitest";
import { newId } from "@/lib/ids";
import { latch } from "../../fixtures/latch";
import { eventsOf, messageOf } from "./deliveries";
import { startDouble } from "./double";
import { chargeAt, connectorTo } from "./under-test";

const double = await startDouble();
afterAll(() => double.stop());
const processor = connectorTo(double);
const charged = chargeAt(processor);

test("a dispute is reported by its payment's id, with its current state", async () => {
  const { account, objects } = await charged("4000000000000259");
  const told = eventsOf(double, account).find(({ type }) => type === "charge.dispute.created");
  const { reports } = processor;
  if (!told || reports.kind !== "pushed") throw new Error("there is no event of the dispute");
  const [report] = await reports.read(messageOf(told));
  expect(report).toMatchObject({ object: objects[0]?.id, dispute: expect.stringMatching(/^du_/) });
  const id = report && "dispute" in report ? (report.dispute ?? "") : "";
  const dispute = { id, amount: 10_000, currency: "USD", reason: "FRAUDULENT", status: "needs_response" };
  expect(await processor.readDispute?.(id)).toMatchObject(dispute);
  double.books.endDispute(id, "lost");
  expect(await processor.readDispute?.(id)).toMatchObject({ status: "lost" });
  expect(await processor.readDispute?.("du_of_nobody")).toBeNull();
});

describe("a response to a dispute", () => {
  const evidence = {
    texts: {
      product_description: "Two prints",
      customer_communication: "Where is it? It is there.",
      shipping_carrier: "DHL",
      shipping_tracking: "00340434161094042557",
      refund_policy: "30 days",
      notes: "Signed for by Ada.",
    },
    shippedAt: new Date("2026-11-14T08:00:00Z"),
    files: ["Lieferschein Müller & Söhne.pdf", "photo.jpg"].map((name, index) => ({
      id: newId(),
      name,
      type: index === 0 ? ("application/pdf" as const) : ("image/jpeg" as const),
      size: 1_000 + index,
      read: async () => Buffer.alloc(1_000 + index),
    })),
  };

  async function disputed() {
    const { account, objects } = await charged("4000000000000259");
    const intent = double.books.intent(objects[0]?.id ?? "");
    const { id: dispute } = [...double.books.disputes.values()].find((one) => one.payment_intent === intent.id) ?? {};
    if (!dispute) throw new Error("the card disputes its charge");
    const request = { account, dispute, reference: newId() };
    return {
      dispute,
      submit: (given = evidence, reference = request.reference) =>
        processor.respondToDispute?.({ ...request, reference, kind: "submit", evidence: given }),
      accept: () => processor.respondToDispute?.({ ...request, kind: "accept" }),
      stands: () => double.books.disputes.get(dispute) as Stripe.Dispute,
    };
  }

  test("submits texts and files in Stripe's fields, once however often it is repeated", async () => {
    const { submit, stands, dispute } = await disputed();
    expect(await submit()).toEqual({ kind: "sent" });
    expect(await submit()).toEqual({ kind: "sent" });
    const { evidence: sent, evidence_details, status } = stands();
    expect([status, evidence_details.submission_count]).toEqual(["under_review", 1]);
    expect(sent).toMatchObject({
      product_description: "Two prints",
      shipping_carrier: "DHL",
      shipping_tracking_number: "00340434161094042557",
      shipping_date: "2026-11-14",
      refund_policy_disclosure: "30 days",
      uncategorized_text: "Communication with the customer:\nWhere is it? It is there.\n\nSigned for by Ada.",
    });
    const files = [sent.uncategorized_file, sent.service_documentation].map((id) => double.books.files.get(String(id)));
    expect(files).toMatchObject([
      { filename: "Lieferschein Müller & Söhne.pdf", type: "pdf", size: 1_000, purpose: "dispute_evidence" },
      { filename: "photo.jpg", type: "jpeg", size: 1_001 },
    ]);
    expect(await processor.readDispute?.(dispute)).toMatchObject({ status: "under_review" });
  });

  test("reads one file of an account at a time, however many are sent at once", async () => {
    const { submit } = await disputed();
    const gate = latch();
    const reads: string[] = [];
    const held = (submission: string) => ({
      ...evidence,
      files: evidence.files.map(({ name, read, ...file }) => ({
        ...file,
        name,
        async read() {
          reads.push(`${submission} ${name}`);
          await gate.hold();
          return read();
        },
      })),
    });
    const first = submit(held("first"));
    await gate.reached;
    const second = submit(held("second"), newId());
    const other = await disputed();
    await other.submit(evidence);
    expect(reads).toEqual(["first Lieferschein Müller & Söhne.pdf"]);
    gate.release();
    await Promise.all([first, second]);
    expect(reads).toHaveLength(4);
  });

  test.each(["lost after", "stored 500 after", "503", "silence after", "garbage"] as const)(
    "whose answer is %s takes effect once",
    async (fault) => {
      const { submit, stands } = await disputed();
      double.faults.next("evidence", fault);
      expect((await submit())?.kind).toMatch(/^(?:unknown|sent)$/);
      await submit();
      expect(stands()).toMatchObject({ status: "under_review", evidence_details: { submission_count: 1 } });
    },
    30_000,
  );

  test("whose files are more than Stripe takes is refused before any of them is read", async () => {
    const { submit, stands } = await disputed();
    const stored = double.books.files.size;
    const filesOf = (size: number) =>
      evidence.files.map((file) => ({ ...file, size, read: () => Promise.reject(new Error("the file is read")) }));
    expect(await submit({ ...evidence, files: filesOf(2.25 * 1024 * 1024 + 1) })).toEqual({
      kind: "refused",
      refusal:
        "The files have 4.6 MB together, and Stripe takes at most 4.5 MB for one dispute. Remove files or make them smaller, then submit the evidence again.",
    });
    expect([stands().status, double.books.files.size]).toEqual(["needs_response", stored]);
    const most = evidence.files.map((file) => {
      const size = 2.25 * 1024 * 1024;
      return { ...file, size, read: async () => Buffer.alloc(size) };
    });
    expect(await submit({ ...evidence, files: most })).toEqual({ kind: "sent" });
  });

  test("that Stripe refuses is refused in its words", async () => {
    const { submit, stands } = await disputed();
    const grown = evidence.files.map((file) => ({ ...file, read: async () => Buffer.alloc(3_000_000) }));
    expect(await submit({ ...evidence, files: grown })).toMatchObject({
      kind: "refused",
      refusal: expect.stringMatching(/^Stripe refused the request: The combined size/),
    });
    expect(stands().status).toBe("needs_response");
  });

  test("gives the amount up by closing the dispute, once", async () => {
    const { accept, submit, stands } = await disputed();
    double.faults.next("close", "lost after");
    await accept();
    expect(await accept()).toEqual({ kind: "sent" });
    expect(stands().status).toBe("lost");
    expect(await submit(evidence, newId())).toMatchObject({ kind: "refused" });
  });

  test.each(["lost after", "stored 500 after", "503"] as const)(
    "is accepted, and a repeat reports that it may be, although the first answer is %s",
    async (fault) => {
      const { accept, stands } = await disputed();
      double.faults.next("close", fault);
      await accept();
      const kind = fault === "stored 500 after" ? "refused_repeat" : "sent";
      for (const _ of ["repeat", "another"]) expect(await accept()).toMatchObject({ kind });
      expect(stands().status).toBe("lost");
    },
    30_000,
  );

  test("whose close fails and is then refused reports the refusal of a repeat", async () => {
    const { accept, stands } = await disputed();
    double.faults.next("close", "stored 500");
    expect(await accept()).toMatchObject({ kind: "unknown" });
    stands().status = "under_review";
    for (const _ of ["repeat", "another"])
      expect(await accept()).toEqual({
        kind: "refused_repeat",
        refusal: "Stripe refused the request: This dispute is already under_review.",
      });
  });

  test("that the bank decided first refuses the acceptance, each time", async () => {
    const { accept, stands } = await disputed();
    stands().status = "lost";
    for (const _ of ["first", "repeat"]) expect(await accept()).toMatchObject({ kind: "refused" });
  });

  test("with a key that lacks the permission is not sent", async () => {
    const { accept, stands } = await disputed();
    double.faults.next("close", "403");
    expect(await accept()).toMatchObject({ kind: "not_sent" });
    expect(stands().status).toBe("needs_response");
  });
});
