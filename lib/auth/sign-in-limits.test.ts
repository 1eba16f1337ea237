import { afterAll, expect, test, vi } from "vitest";
import { takeAccount, waitForAccount } from "./sign-in-limits";

vi.stubEnv("SIGN_UPS_PER_DAY", "3");
afterAll(() => void vi.unstubAllEnvs());

const DAY_SECONDS = 86_400;

test("the daily limit of sign-ups applies per network, however many IPv6 addresses it has", () => {
  const opened = (addresses: string[]) => addresses.map((address) => takeAccount(address) === 0);
  expect(opened(["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"])).toEqual([
    ...[true, true, true],
    ...[false, true],
  ]);
  const site = ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:ffff::2", "2001:db8:1::9"];
  expect(opened([...site, "2001:db8:2::1"])).toEqual([true, true, true, false, true]);
  expect(takeAccount("192.0.2.1")).toBeGreaterThan(DAY_SECONDS / 3 - 60);
  expect(waitForAccount("192.0.2.1")).toBeGreaterThan(DAY_SECONDS / 3 - 60);
  expect([waitForAccount("192.0.2.2"), waitForAccount("192.0.2.3")]).toEqual([0, 0]);
});
