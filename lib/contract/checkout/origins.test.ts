import { expect, test } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { webUrl } from "@/lib/contract/fields";
import { createClientSessionBody, requireSecureAddresses } from "./client-session";

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

test("live mode accepts only https for origins and return URLs", () => {
  expect(paramOf("live", ["https://shop.example"], "https://shop.example/thanks")).toBeNull();
  expect(paramOf("live", [], null)).toBeNull();
  expect(paramOf("live", ["https://a.example", "http://b.example"], null)).toEqual(["allowed_origins.1"]);
  expect(paramOf("live", ["http://localhost:4242"], "http://shop.example")).toEqual([
    "allowed_origins.0",
    "return_url",
  ]);
  expect(paramOf("live", [], "HTTP://shop.example")).toEqual(["return_url"]);
});

test("test mode accepts local development pages", () => {
  expect(paramOf("test", ["http://localhost:4242"], "http://localhost:4242/thanks")).toBeNull();
});

const originsFrom = (...allowed_origins: string[]) =>
  createClientSessionBody.safeParse({ amount: 1, currency: "USD", allowed_origins });

test.each([
  ["https://shop.example", "https://shop.example"],
  ["https://shop.example/", "https://shop.example"],
  ["https://SHOP.example", "https://shop.example"],
  ["HTTPS://Shop.Example:443/", "https://shop.example"],
  ["https://shop.example:443", "https://shop.example"],
  ["http://localhost:80", "http://localhost"],
  ["http://localhost:4242", "http://localhost:4242"],
  ["https://shop.example:8443/", "https://shop.example:8443"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
  ["https://B\u00dcCHER.example/", "https://xn--bcher-kva.example"],
  ["https://b%C3%BCcher.example", "https://xn--bcher-kva.example"],
  ["https://xn--bcher-kva.example", "https://xn--bcher-kva.example"],
  ["https://例え.テスト", "https://xn--r8jz45g.xn--zckzah"],
  [" https://shop.example ", "https://shop.example"],
  ["\thttps://shop.example\n", "https://shop.example"],
  ["https://[2001:DB8::1]:443", "https://[2001:db8::1]"],
])("the origin %j is stored as browsers write it", (typed, origin) => {
  expect(originsFrom(typed).data?.allowed_origins).toEqual([origin]);
});

test("equal origins are deduplicated", () => {
  const { data } = originsFrom("https://shop.example/", "https://SHOP.example:443", "https://b.example");
  expect(data?.allowed_origins).toEqual(["https://shop.example", "https://b.example"]);
});

test.each([
  ["https://shop.example/cart", "Send https://shop.example: an origin has a scheme and a host, no path."],
  ["https://SHOP.example/?a=1#b", "Send https://shop.example: an origin has a scheme and a host, no path."],
  ["capacitor://localhost", "pages begin with capacitor: opens the session's iframe_url in the system browser"],
  ["ionic://localhost", "pages begin with ionic: opens"],
  ["tauri://localhost", "See /docs/checkout#apps"],
  ["file:///index.html", "pages begin with file:"],
  ...["*", "null", "'self'", "shop.example", "//shop.example", "https:shop.example", "https://", "https:///x"].map(
    (text) => [text, "Use an origin: scheme and host"],
  ),
  ...["https://*.shop.example", "https://shop.example; script-src *", "https://shop.example\nX", "https://a b"].map(
    (text) => [text, "Use an origin: scheme and host"],
  ),
  ...["https://user:pw@shop.example", "https://shop.example\\", "https://shop.example\\@evil.example"].map((text) => [
    text,
    "Use an origin: scheme and host",
  ]),
])("%j is not an origin, and the error says what to send", (text, says) => {
  const { error } = originsFrom(text);
  expect(error?.issues.map(({ path, message }) => [path.join("."), message])).toEqual([
    ["allowed_origins.0", expect.stringContaining(says)],
  ]);
});

test.each([
  "https://shop.example/thanks?sig=a%20b%2Bc&flag",
  "https://shop.example/t?order={ORDER}&s=a/b==",
  "https://shop.example/t?items[]=1&items[]=2",
  "https://shop.example/t?q=caf%E9",
  "https://shop.example/?a=1&&b=%zz'\"<>|^`#/route?x=1",
  "HTTPS://SHOP.example:443",
  "https://bücher.example/dank?für=dich",
  "http://localhost:4242/a/../b",
])("the return URL %s is kept byte for byte", (url) => {
  expect(webUrl.parse(url)).toBe(url);
});

test("blanks around a return URL are removed", () => {
  expect(webUrl.parse("  https://shop.example/thanks\u00a0")).toBe("https://shop.example/thanks");
});

test.each([
  ...["javascript:alert(1)", "data:text/html,x", "vbscript:x", "blob:https://shop.example/1", "file:///etc/passwd"],
  ...["//shop.example", "/thanks", "shop.example", "ftp://shop.example", "intent://x", "https:shop.example"],
  ...["https://", "https:///shop.example", "https://?x", "https://#x", "https://user:pw@shop.example"],
  ...["https://user@shop.example", "https://shop.example\\@evil.example", "https:\\\\shop.example", "https://a\\b"],
  ...["https://shop.example/\r\nSet-Cookie:x=y", "https://shop.example/\tx", "java\nscript:alert(1)"],
  ...["https://shop.example/x\n", "\u0000https://shop.example", "https://shop.example/\u007f", "https://a/\u0085"],
  ...["https://shop.example/\u2028", "https://shop.example/\ud800", "https://sh op.example"],
])("%j is not a valid return URL", (url) => {
  expect(webUrl.safeParse(url).success).toBe(false);
});
