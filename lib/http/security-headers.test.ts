import { afterEach, expect, test } from "vitest";
import { cookieName, sessionCookieName } from "@/lib/auth/session-cookie";
import { configure } from "@/lib/env";
import { dataHeaders, pageHeaders, pagePolicy } from "./security-headers";

/** Same as an unset BASE_URL. */
afterEach(() => configure({ BASE_URL: "" }));

test("under https every response sends HSTS, and pages load only https", () => {
  configure({ BASE_URL: "https://pay.example" });
  for (const headers of [dataHeaders(), pageHeaders()]) {
    expect(headers["strict-transport-security"]).toBe("max-age=63072000");
  }
  expect(pagePolicy("n")).toMatch(/; upgrade-insecure-requests$/);
  configure({ BASE_URL: "http://localhost:3000" });
  for (const headers of [dataHeaders(), pageHeaders()]) expect(headers).not.toHaveProperty("strict-transport-security");
  expect(pagePolicy("n")).not.toContain("upgrade-insecure-requests");
});

test("no policy allows scripts or styles without a nonce", () => {
  expect(pagePolicy("n")).not.toContain("unsafe-");
  expect(pagePolicy("n")).toContain("script-src 'nonce-n' 'strict-dynamic';");
});

test("under https cookies are limited to this host; on a loopback address they have plain names", () => {
  const base = "https://pay.example";
  expect(cookieName("cardlane.csrf", base)).toBe("__Host-cardlane.csrf");
  expect(sessionCookieName("merchant", base)).toBe("__Host-cardlane.session");
  expect(sessionCookieName("staff", base)).toBe("__Host-cardlane.staff");
  expect(sessionCookieName("merchant", "http://localhost:3000")).toBe("cardlane.session");
});
