import { describe, expect, test } from "vitest";
import { ERROR_CODES, ERRORS } from "@/lib/contract/errors";
import { type Attempt, attemptMoney, isKeptRefusal, resultOf } from "./money-attempt";

const refused = (code: keyof typeof ERRORS, retryAfterMs: number | null = null): Attempt<string> => ({
  kind: "refused",
  status: ERRORS[code].status,
  code,
  detail: ERRORS[code].title,
  param: null,
  errors: [],
  requestId: "req_1",
  retryAfterMs,
});

function script(...attempts: Attempt<string>[]) {
  const waits: number[] = [];
  const ports = {
    send: async () => attempts.shift() ?? { kind: "no_answer" as const },
    wait: async (ms: number) => void waits.push(ms),
  };
  return { ports, waits, left: attempts };
}

describe("what a response proves about the money", () => {
  test("the refusals that a key stores are those of the contract", () => {
    expect(ERROR_CODES.filter(isKeptRefusal)).toEqual(ERROR_CODES.filter((code) => "stored" in ERRORS[code]));
  });

  test("a missing, broken or PENDING response leaves the outcome unknown", () => {
    expect(resultOf({ kind: "no_answer" }, false)).toMatchObject({ kind: "unknown", why: "no_answer" });
    expect(resultOf({ kind: "answered", status: 202, data: "it" }, false)).toMatchObject({
      kind: "unknown",
      why: "pending",
      data: "it",
    });
    for (const code of ["internal_error", "processor_error", "database_unavailable", "processor_timeout"] as const) {
      expect(resultOf(refused(code), false), code).toMatchObject({ kind: "unknown", why: "server_error" });
    }
  });

  test("a refusal that a key stores is final, even after an attempt with an unknown outcome", () => {
    expect(resultOf(refused("amount_exceeds_refundable"), true)).toMatchObject({ kind: "refused", keySpent: true });
    expect(resultOf(refused("idempotency_key_reused"), true)).toMatchObject({ kind: "refused", keySpent: true });
  });

  test("a refusal of the request says nothing about an earlier one with the same key", () => {
    for (const code of ["permission_denied", "outcome_pending", "invalid_parameter", "resource_not_found"] as const) {
      expect(resultOf(refused(code), false), code).toMatchObject({ kind: "refused", keySpent: false });
      expect(resultOf(refused(code), true), code).toMatchObject({ kind: "unknown", why: "unanswerable" });
    }
  });

  test("it retries after the requested time and uses the response", async () => {
    const { ports, waits } = script(refused("idempotency_request_in_progress", 1_500), refused("rate_limited"), {
      kind: "answered",
      status: 201,
      data: "refund",
    });
    expect(await attemptMoney(ports, false)).toEqual({ kind: "done", data: "refund" });
    expect(waits).toEqual([1_500, 1_000]);
  });

  test("it does not retry forever: a request that stays in progress is unknown", async () => {
    const { ports, waits } = script(...Array.from({ length: 50 }, () => refused("idempotency_request_in_progress")));
    expect(await attemptMoney(ports, false)).toMatchObject({ kind: "unknown", why: "unanswerable" });
    expect(waits.length).toBeLessThan(30);
  });

  test("after 'in progress' a refusal that isn't stored under the key proves nothing", async () => {
    const { ports } = script(refused("idempotency_request_in_progress"), refused("permission_denied"));
    expect(await attemptMoney(ports, false)).toMatchObject({ kind: "unknown" });
  });
});
