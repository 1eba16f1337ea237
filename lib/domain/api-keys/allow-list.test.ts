import { expect, test } from "vitest";
import { createAllowList, isAllowListEntry, isListed } from "./change-keys";

const list = createAllowList(["203.0.113.7", "10.0.0.0/8", "2001:db8::/32", "2001:db9::1"]);

test.each(["203.0.113.7", "10.255.1.2", "2001:db8:1::1", "2001:db9::1", "::ffff:10.1.2.3", "::ffff:0a01:0203"])(
  "%s is listed",
  (ip) => {
    expect(isListed(list, ip)).toBe(true);
  },
);

test.each([
  "203.0.113.8",
  "11.0.0.1",
  "2001:db9::2",
  "::ffff:11.1.2.3",
  "",
  "unknown",
  "10.0.0.1, 8.8.8.8",
  "fe80::1%eth0",
])("%j is not listed", (ip) => {
  expect(isListed(list, ip)).toBe(false);
});

test.each(["1.2.3.4", "1.2.3.0/24", "0.0.0.0/0", "1.2.3.4/32", "::1", "2001:db8::/32", "::/0"])(
  "%s is an entry",
  (entry) => {
    expect(isAllowListEntry(entry)).toBe(true);
  },
);

test.each([
  "",
  "1.2.3",
  "1.2.3.4/33",
  "1.2.3.4/",
  "1.2.3.4/-1",
  "1.2.3.4/8/8",
  "::/129",
  "example.com",
  "fe80::1%eth0",
  "1.2.3.4/1e1",
])("%j is not an entry", (entry) => {
  expect(isAllowListEntry(entry)).toBe(false);
});

test("an IPv4-mapped block allows IPv4 addresses", () => {
  expect(isListed(createAllowList(["::ffff:10.0.0.0/104"]), "10.1.2.3")).toBe(true);
});
