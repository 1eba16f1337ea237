import { describe, expect, it } from "vitest";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { mintAttempt } from "./run-attempt";

describe("mintAttempt", () => {
  it("generates a new id each time, in a form that the server accepts", () => {
    const ids = Array.from({ length: 100 }, () => mintAttempt());
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(checkoutAttemptBody.shape.attempt.safeParse(ids[0]).success).toBe(true);
  });

  it("works without randomUUID, which pages without https lack", () => {
    const source = { getRandomValues: crypto.getRandomValues.bind(crypto) };
    expect(mintAttempt(source)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(mintAttempt(source)).not.toBe(mintAttempt(source));
    const digits = { getRandomValues: <T>(bytes: T) => (bytes as Uint8Array).fill(0x11) as T };
    expect(checkoutAttemptBody.shape.attempt.safeParse(mintAttempt(digits as Crypto)).success).toBe(true);
  });
});
