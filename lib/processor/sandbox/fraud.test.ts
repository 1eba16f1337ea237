import { expect, test } from "vitest";
import type { FraudSignals } from "@/lib/contract/sandbox-cards";
import { assessFraud } from "./checks";

const quiet: FraudSignals = {
  card_attempts: 0,
  email_attempts: 0,
  address_attempts: 0,
  avs_result: "Y",
  cvv_result: "M",
  amount: 1_000,
  average_amount: 1_000,
  known_fraud: false,
};

test.each<[string, Partial<FraudSignals>, number]>([
  ["nothing unusual", {}, 0],
  ["4 earlier attempts with the card", { card_attempts: 4 }, 0],
  ["5 earlier attempts with the card", { card_attempts: 5 }, 15],
  ["10 earlier attempts with the card", { card_attempts: 10 }, 30],
  ["5 earlier attempts with the e-mail address", { email_attempts: 5 }, 10],
  ["10 earlier attempts with the e-mail address", { email_attempts: 10 }, 20],
  ["5 earlier attempts with the billing address", { address_attempts: 5 }, 10],
  ["10 earlier attempts with the billing address", { address_attempts: 10 }, 15],
  ["an address that does not match", { avs_result: "N" }, 20],
  ["an address that was not sent", { avs_result: "U" }, 0],
  ["a security code that does not match", { cvv_result: "N" }, 25],
  ["exactly five times the average", { amount: 5_000 }, 0],
  ["more than five times the average", { amount: 5_001 }, 20],
  ["no history to compare with", { amount: 999_999, average_amount: null }, 0],
  ["two rules", { avs_result: "N", cvv_result: "N" }, 45],
  ["a card known for fraud", { known_fraud: true }, 95],
])("%s gives its points", (_, signals, score) => {
  expect(assessFraud({ ...quiet, ...signals }).fraud_score).toBe(score);
});

test("the score of all rules combined is capped, and each rule gives its reason", () => {
  const all = assessFraud({
    card_attempts: 10,
    email_attempts: 10,
    address_attempts: 10,
    avs_result: "N",
    cvv_result: "N",
    amount: 100_000,
    average_amount: 1,
    known_fraud: false,
  });
  expect(all.fraud_score).toBe(85);
  expect(all.fraud_reasons).toHaveLength(6);
});

test("only the strongest rule of a group gives a reason", () => {
  expect(assessFraud({ ...quiet, card_attempts: 10 }).fraud_reasons).toEqual([
    "10 or more earlier attempts with this card within 10 minutes",
  ]);
});
