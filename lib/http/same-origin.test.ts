import { expect, test } from "vitest";
import { requireSameOrigin } from "./session-caller";

const BASE = "https://pay.example.com";
const asked = (headers: Record<string, string>, base = BASE) => {
  try {
    requireSameOrigin(new Headers(headers), base);
    return true;
  } catch {
    return false;
  }
};

test("a browser without Sec-Fetch-Site is checked by its exact origin", () => {
  const host = "pay.example.com";
  expect(asked({ origin: BASE, host })).toBe(true);
  expect(asked({ origin: "https://live.example.com", host: "live.example.com" })).toBe(true);
  expect(asked({ origin: "http://localhost:3000", host: "LOCALHOST:3000" }, "http://127.0.0.1:3000")).toBe(true);
});

test("the same host with another scheme or port is another origin", () => {
  const host = "pay.example.com";
  for (const origin of [
    "http://pay.example.com",
    "https://pay.example.com:8443",
    "ftp://pay.example.com",
    "null",
    "",
  ]) {
    expect(asked({ origin, host }), origin).toBe(false);
  }
  expect(asked({ origin: "https://localhost:3000", host: "localhost:3000" }, "http://localhost:3000")).toBe(false);
});

test("Sec-Fetch-Site takes precedence over the origin", () => {
  for (const site of ["same-site", "cross-site", "none"])
    expect(asked({ origin: BASE, "sec-fetch-site": site })).toBe(false);
  expect(asked({ "sec-fetch-site": "same-origin" })).toBe(true);
});
