import { describe, expect, test } from "vitest";
import { AVS_RESULTS, passesLuhn } from "./payments/words";
import { FRAUD_DECLINE_SCORE, FRAUD_RULES, FRAUD_RULES_CAP, SANDBOX_AVS, SANDBOX_CARDS } from "./sandbox-cards";

describe("sandbox cards", () => {
  test.each(SANDBOX_CARDS)("$number has a valid check digit", ({ number }) => {
    expect(passesLuhn(number)).toBe(true);
    expect(number).toHaveLength(number.startsWith("37") ? 15 : 16);
  });

  test("no number is listed twice", () => {
    expect(new Set(SANDBOX_CARDS.map((card) => card.number)).size).toBe(SANDBOX_CARDS.length);
  });

  test("the description of every declining card names its code", () => {
    for (const { behavior, effect } of SANDBOX_CARDS) {
      if (behavior.startsWith("decline:")) expect(effect).toContain(behavior.slice("decline:".length));
    }
  });
});

describe("fraud rules", () => {
  test("every rule has a unique id, and the stronger rule of a group comes first", () => {
    expect(new Set(FRAUD_RULES.map((rule) => rule.id)).size).toBe(FRAUD_RULES.length);
    for (const group of new Set(FRAUD_RULES.map((rule) => rule.group))) {
      const points = FRAUD_RULES.filter((rule) => rule.group === group).map((rule) => rule.points);
      expect(points).toEqual([...points].sort((a, b) => b - a));
    }
  });

  test("velocity alone never reaches the declining score, and a known fraudulent card does", () => {
    expect(FRAUD_RULES_CAP).toBeLessThan(FRAUD_DECLINE_SCORE);
    expect(FRAUD_RULES.find((rule) => rule.id === "known_fraud")?.points).toBeGreaterThanOrEqual(FRAUD_DECLINE_SCORE);
  });
});

test("the address table uses only letters that the contract explains", () => {
  for (const { result } of SANDBOX_AVS) expect(AVS_RESULTS).toHaveProperty(result);
});
