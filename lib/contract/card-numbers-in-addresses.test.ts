import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { createApiKeyBody } from "./api-keys/api-keys";
import { CARD_NUMBER_MARK } from "./card-numbers";
import { keepableAddress } from "./card-numbers-in-addresses";

const NUMBER = "4242424242424242";
const MANY = 5_000;

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8::1", "2001:db8::1"],
  ["2a01:4f8:c17:b8f::2", "2a01:4f8:c17:b8f::2"],
  ["4242:4242:4242:4242::", "4242:4242::/32"],
  ["2a01:4f8:4242:4242:4242:4242::1", "2a01:4f8::/32"],
  ["::4242:4242:4242:4242", "::/32"],
  ["4024:71:393:9509::", "4024:71::/32"],
  ["2a01::3782:8224:6310:5", "2a01::/32"],
  ["4878:8556:9186:4402:026::", "4878:8556::/32"],
  ["4878:8556:9186:4402:26::", "4878:8556::/32"],
  [`for ${NUMBER}`, `for ${CARD_NUMBER_MARK}`],
  ["", ""],
])("an address is kept, and one that reads like a card number is kept as its provider's: %s", (address, kept) => {
  expect(keepableAddress(address)).toBe(kept);
});

test("every address and network of IPv4 may stand in an allow list, and of IPv6 those that read like no card number", () => {
  const byte = () => randomInt(256);
  const { ip_allow_list } = createApiKeyBody.shape;
  for (let i = 0; i < MANY; i++) {
    const entry = `${byte()}.${byte()}.${byte()}.${byte()}/${i % 33}`;
    expect(ip_allow_list.safeParse([entry]).success, entry).toBe(true);
  }
  for (const entry of ["2001:db8::/32", "2a01:4f8:c17:b8f::2/128"])
    expect(ip_allow_list.safeParse([entry]).success, entry).toBe(true);
  for (const entry of [
    ...["4242:4242:4242:4242::", "4242:4242:4242:4242::/64", "3782:8224:6310::/005"],
    ...["4024:71:393:9509::/64", "2a01:4f8:0:0:4024:71:393:9509/128"],
  ])
    expect(ip_allow_list.safeParse([entry]).success, entry).toBe(false);
});

test("nearly every address of IPv6 is kept as it is", () => {
  const group = () => randomInt(65_536).toString(16);
  const addresses = Array.from({ length: 20_000 }, () => `2a01:${Array.from({ length: 7 }, group).join(":")}`);
  expect(addresses.filter((address) => keepableAddress(address) !== address).length).toBeLessThan(40);
});
