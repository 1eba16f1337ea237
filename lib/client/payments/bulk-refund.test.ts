import { beforeEach, describe, expect, test } from "vitest";
import { charge } from "@/lib/contract/example-objects";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { type BulkRowState, type BulkRun, bulkStore, isKnown } from "./bulk-record";
import { type ApprovalToRequest, type BulkPorts, BulkRefund, rowsOf } from "./bulk-refund";
import type { MoneyResponse } from "./money-action";
import type { Attempt, KeyFinding } from "./money-attempt";

const COUNT = 7;
const AMOUNT = 1_000;
const form = { reason: "RETURN", comment: "", acknowledgesDisputes: false } as const;
const transactions: ListedTransaction[] = Array.from({ length: COUNT }, (_, i) => ({
  ...charge,
  id: `txn_${i}`,
  payment_id: `pay_${i}`,
  amount_refundable: AMOUNT,
}));
const made = (chargeId: string): Attempt<MoneyResponse> => ({
  kind: "answered",
  status: 201,
  data: { id: `refund_of_${chargeId}`, object: "transaction", status: "CAPTURED" },
});

const needsApproval: Attempt<MoneyResponse> = {
  kind: "refused",
  status: 403,
  code: "permission_denied",
  detail: "Your role can refund up to $5.00 without approval. A colleague has to approve this refund.",
  param: null,
  errors: [],
  requestId: null,
  retryAfterMs: null,
  needsApproval: true,
};

describe("a bulk refund", () => {
  let saved: BulkRun | null;
  let sent: { chargeId: string; key: string; acknowledged: boolean }[];
  let answer: (chargeId: string) => Promise<Attempt<MoneyResponse>>;
  let refundable: (paymentId: string) => number;
  let finding: KeyFinding;
  let keys: number;
  let disputed: Set<string>;
  let requested: ApprovalToRequest[];
  let approval: (paymentId: string) => ReturnType<BulkPorts["requestApproval"]>;

  beforeEach(() => {
    saved = null;
    sent = [];
    answer = async (chargeId) => made(chargeId);
    refundable = () => AMOUNT;
    finding = { kind: "absent" };
    keys = 0;
    disputed = new Set();
    requested = [];
    approval = async (paymentId) => ({ kind: "requested", id: `apr_of_${paymentId}` });
  });

  const ports = (): BulkPorts => ({
    read: async (paymentId) => ({
      paymentId,
      chargeId: "",
      type: "CHARGE",
      status: "CAPTURED",
      currency: "USD",
      amount: AMOUNT,
      captured: AMOUNT,
      capturable: 0,
      refunded: AMOUNT - refundable(paymentId),
      refundable: refundable(paymentId),
      actions: refundable(paymentId) > 0 ? ["refund"] : [],
      refunds: [],
      captureBefore: null,
      voidReason: null,
      dispute: disputed.has(paymentId) ? ("NEEDS_RESPONSE" as const) : null,
      captureReversed: false,
      card: "",
    }),
    lookUp: async () => finding,
    send: ({ chargeId, body, key }) => {
      sent.push({ chargeId, key, acknowledged: "acknowledge_dispute" in body });
      return answer(chargeId);
    },
    requestApproval: async (request) => {
      requested.push(request);
      return approval(request.paymentId);
    },
    store: {
      find: () => saved,
      save: (run) => {
        saved = JSON.parse(JSON.stringify(run));
      },
      remove: () => {
        saved = null;
      },
      subscribe: () => () => {},
    },
    newKey: () => `key-${++keys}`,
    now: () => 0,
    wait: async () => {},
    exclusively: (_, work) => work(),
    onChange: () => {},
  });
  const start = () => new BulkRefund(rowsOf(transactions, ports().newKey), ports());
  const steps = (bulk: BulkRefund) => bulk.getSnapshot().rows.map(({ state }) => state.step);
  const all = <Step extends string>(step: Step): Step[] => Array.from({ length: COUNT }, () => step);

  test("refunds every row once, under its own key", async () => {
    const bulk = start();
    await Promise.all([bulk.start(form), bulk.start(form)]);
    expect(steps(bulk)).toEqual(all("refunded"));
    expect(sent.map(({ chargeId }) => chargeId)).toEqual(transactions.map(({ id }) => id));
    expect(new Set(sent.map(({ key }) => key)).size).toBe(COUNT);
  });

  test("refunds a disputed payment only if the user insists, and none disputed in the meantime", async () => {
    const rows = transactions.map((row, index) => {
      const dispute = index < 2 ? ({ id: "dp_1", status: "NEEDS_RESPONSE" } as const) : null;
      return { ...row, dispute };
    });
    for (const [acknowledgesDisputes, refused] of [
      [false, 3],
      [true, 1],
    ] as const) {
      // The last one became disputed after the dialog opened.
      disputed = new Set(["pay_0", "pay_1", "pay_6"]);
      sent = [];
      const bulk = new BulkRefund(rowsOf(rows, ports().newKey), ports());
      await bulk.start({ ...form, acknowledgesDisputes });
      expect(steps(bulk).filter((step) => step === "refused")).toHaveLength(refused);
      expect(sent).toHaveLength(COUNT - refused);
      expect(sent.filter(({ acknowledged }) => acknowledged)).toHaveLength(acknowledgesDisputes ? 2 : 0);
    }
  });

  test("requests approval once for each row that needs it, and again where that was not certain", async () => {
    const NEEDING = ["txn_1", "txn_3", "txn_4"];
    answer = async (chargeId) => (NEEDING.includes(chargeId) ? needsApproval : made(chargeId));
    const bulk = start();
    await bulk.start({ ...form, comment: "Lost" });
    const rowsWith = (...[second, fourth, fifth]: BulkRowState["step"][]) => [
      ...["refunded", second, "refunded", fourth, fifth, "refunded", "refunded"],
    ];
    expect(steps(bulk)).toEqual(rowsWith("needs_approval", "needs_approval", "needs_approval"));
    approval = async (paymentId) => {
      if (paymentId === "pay_3") throw new Error("No response arrived.");
      if (paymentId === "pay_4") return { kind: "refused", detail: "The payment has changed." };
      return { kind: "requested", id: "apr_1" };
    };
    await Promise.all([bulk.requestApprovals("The parcels are lost"), bulk.requestApprovals("The parcels are lost")]);
    const refund = { amount: AMOUNT, reason: "RETURN", comment: "Lost" };
    expect(requested).toEqual(
      ["pay_1", "pay_3", "pay_4"].map((paymentId) => ({ paymentId, refund, reason: "The parcels are lost" })),
    );
    expect(steps(bulk)).toEqual(rowsWith("requested", "needs_approval", "refused"));
    expect(bulk.getSnapshot().rows[3]?.state).toMatchObject({
      detail: expect.stringContaining("No response arrived."),
    });
    expect(saved).toEqual(bulk.getSnapshot());
    approval = async () => ({ kind: "requested", id: "apr_3" });
    const reloaded = new BulkRefund(null, ports());
    await reloaded.requestApprovals("The parcels are lost");
    expect(requested.map(({ paymentId }) => paymentId)).toEqual(["pay_1", "pay_3", "pay_4", "pay_3"]);
    expect(steps(reloaded)).toEqual(rowsWith("requested", "requested", "refused"));
    expect(sent).toHaveLength(COUNT);
  });

  test("has at most three requests in progress", async () => {
    let now = 0;
    let max = 0;
    answer = async (chargeId) => {
      max = Math.max(max, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return made(chargeId);
    };
    await start().start(form);
    expect(max).toBe(3);
  });

  test("skips rows that have changed; a refused or unknown row does not stop the others", async () => {
    refundable = (paymentId) => (paymentId === "pay_1" ? 400 : AMOUNT);
    answer = async (chargeId) => {
      if (chargeId === "txn_2") return { kind: "no_answer" };
      if (chargeId !== "txn_3") return made(chargeId);
      const refusal = {
        status: 409,
        code: "invalid_state",
        detail: "Voided.",
        param: null,
        errors: [],
        requestId: null,
      };
      return { kind: "refused", retryAfterMs: null, ...refusal };
    };
    const bulk = start();
    await bulk.start(form);
    expect(steps(bulk)).toEqual(["refunded", "refused", "unknown", "refused", "refunded", "refunded", "refunded"]);
    expect(sent.map(({ chargeId }) => chargeId)).not.toContain("txn_1");
    expect(isKnown(bulk.getSnapshot())).toBe(false);
    const lost = bulk.getSnapshot().rows[2];
    if (!lost) throw new Error("no row");
    answer = async (chargeId) => made(chargeId);
    await bulk.retry(lost);
    expect(steps(bulk)[2]).toBe("refunded");
    const ofLost = sent.filter(({ chargeId }) => chargeId === "txn_2").map(({ key }) => key);
    expect(ofLost).toEqual([lost.key, lost.key]);
  });

  test("sends nothing more once stopped; the rest can be sent later", async () => {
    const bulk = start();
    answer = async (chargeId) => {
      bulk.stop();
      return made(chargeId);
    };
    await bulk.start(form);
    expect(steps(bulk).filter((step) => step === "not_sent")).toHaveLength(COUNT - 3);
    answer = async (chargeId) => made(chargeId);
    await bulk.resume();
    expect(steps(bulk)).toEqual(all("refunded"));
    expect(sent).toHaveLength(COUNT);
  });

  test("after a reload, requests in progress are unknown and the rest unsent, under the same keys", async () => {
    answer = () => new Promise(() => {});
    void start().start(form);
    await expect.poll(() => sent.length).toBe(3);
    const after = new BulkRefund(null, ports());
    expect(steps(after)).toEqual(["unknown", "unknown", "unknown", "not_sent", "not_sent", "not_sent", "not_sent"]);
    answer = async (chargeId) => made(chargeId);
    await after.resume();
    for (const row of after.getSnapshot().rows.slice(0, 3)) await after.retry(row);
    expect(steps(after)).toEqual(all("refunded"));
    for (const { id } of transactions) {
      expect(new Set(sent.filter(({ chargeId }) => chargeId === id).map(({ key }) => key)).size, id).toBe(1);
    }
  });

  test("after a reload while payments are read, nothing was sent and the run can continue", async () => {
    void new BulkRefund(rowsOf(transactions, ports().newKey), { ...ports(), read: () => new Promise(() => {}) }).start(
      form,
    );
    const after = new BulkRefund(null, ports());
    expect(steps(after)).toEqual(all("not_sent"));
    answer = async (chargeId) => made(chargeId);
    await after.resume();
    expect(steps(after)).toEqual(all("refunded"));
  });

  test("follows requests that the processor has until their keys have an outcome", async () => {
    answer = async () => ({
      kind: "answered",
      status: 202,
      data: { id: "txn_r", object: "transaction", status: "PENDING" },
    });
    finding = { kind: "done", transactionId: "txn_r" };
    const bulk = start();
    await bulk.start(form);
    await expect.poll(() => steps(bulk)).toEqual(all("refunded"));
    expect(sent).toHaveLength(COUNT);
  });

  test("the record belongs to one merchant and mode", () => {
    const items = new Map<string, string>();
    const storage = {
      getItem: (name: string) => items.get(name) ?? null,
      setItem: (name: string, value: string) => items.set(name, value),
    } as unknown as Storage;
    bulkStore(storage, { mode: "test", merchantId: "mer_1" }).save({ ...form, rows: [] });
    expect(bulkStore(storage, { mode: "test", merchantId: "mer_1" }).find()).not.toBeNull();
    expect(bulkStore(storage, { mode: "live", merchantId: "mer_1" }).find()).toBeNull();
    expect(bulkStore(storage, { mode: "test", merchantId: "mer_2" }).find()).toBeNull();
  });
});
