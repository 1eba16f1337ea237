import { expect, test } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { requireSecureAddresses } from "./client-session";

const paramOf = (mode: "test" | "live", allowed_origins: string[], return_url: string | null) => {
  try {
    requireSecureAddresses({ mode }, { allowed_origins, return_url });
    return null;
  } catch (error) {
    return error instanceof AppError && error.code === "invalid_parameter"
      ? error.errors.map(({ param }) => param)
      : error;
  }
};

test("live mode takes https alone, for every origin and the address to return to", () => {
  expect(paramOf("live", ["https://shop.example"], "https://shop.example/thanks")).toBeNull();
  expect(paramOf("live", [], null)).toBeNull();
  expect(paramOf("live", ["https://a.example", "http://b.example"], null)).toEqual(["allowed_origins.1"]);
  expect(paramOf("live", ["http://localhost:4242"], "http://shop.example")).toEqual([
    "allowed_origins.0",
    "return_url",
  ]);
  expect(paramOf("live", [], "HTTP://shop.example")).toEqual(["return_url"]);
});

test("test mode takes the pages of a machine under work", () => {
  expect(paramOf("test", ["http://localhost:4242"], "http://localhost:4242/thanks")).toBeNull();
});
