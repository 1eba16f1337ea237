import { expect, test } from "vitest";
import { updateBankAccountBody } from "./payout";

const check = (account_number: string, country: string) =>
  updateBankAccountBody.safeParse({ holder: "Ada Park", bank_name: "First", country, account_number }).success;

test.each([
  ["DE89 3704 0044 0532 0130 00", "DE"],
  ["GB29 NWBK 6016 1331 9268 19", "GB"],
  ["FR14 2004 1010 0505 0001 3M02 606", "FR"],
  ["12-3456-7890", "US"],
])("the account number %s is accepted", (number, country) => expect(check(number, country)).toBe(true));

test.each(["4242 4242 4242 4242", "4242424242424242", "273 6011-4508-6359-5477 273"])(
  "the account number %s is rejected as a card number",
  (number) => expect(check(number, "US")).toBe(false),
);
