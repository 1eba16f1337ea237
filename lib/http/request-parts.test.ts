import { afterEach, describe, expect, test, vi } from "vitest";
import {
  addressOf,
  callerAddress,
  decidingHeader,
  keepablePathOf,
  noteRepeatedHeaders,
  pathOf,
  searchOf,
} from "./request-parts";

describe("a request's URL", () => {
  test.each([
    ["http://localhost:3000/v1/payments", "/v1/payments", ""],
    ["http://localhost/v1/payments?limit=1&a=/b", "/v1/payments", "?limit=1&a=/b"],
    ["http://localhost", "/", ""],
    ["https://shop.example/v1/payments/pay_%2F?", "/v1/payments/pay_%2F", "?"],
  ])("%s is split into path and query", (url, path, search) => {
    expect(pathOf(url)).toBe(path);
    expect(searchOf(url)).toBe(search);
  });
});

describe("a header that matters", () => {
  /** Headers in the form that Node passes on, which joins or drops repeated ones. */
  function received(...raw: string[]) {
    const headers: Record<string, string> = {};
    for (let i = 0; i < raw.length; i += 2) headers[(raw[i] as string).toLowerCase()] ??= raw[i + 1] as string;
    const repeated = noteRepeatedHeaders({ headers, rawHeaders: raw });
    return { repeated, get: (name: string) => headers[name] ?? null };
  }

  test("is read if sent once, beside others that may repeat", () => {
    const request = received("X-Api-Key", "k", "Via", "a", "via", "b", "Cookie", "c", "Cookie", "d");
    expect(decidingHeader(request, "X-Api-Key")).toBe("k");
    expect(decidingHeader(request, "X-Idempotency-Key")).toBeNull();
    expect([...request.repeated]).toEqual(["via", "cookie"]);
  });

  test.each([
    ["X-Api-Key", "invalid_parameter"],
    ["Content-Type", "invalid_parameter"],
    ["X-Idempotency-Key", "idempotency_key_invalid"],
    ["Idempotency-Key", "idempotency_key_invalid"],
  ])("is rejected when it is sent twice, in any case: %s", (name, code) => {
    const request = received(name, "k", name.toUpperCase(), "k");
    expect(() => decidingHeader(request, name)).toThrow(expect.objectContaining({ code, param: name }));
  });

  test("is neither hidden nor forged by a note of the caller", () => {
    const note = ["X-Cardlane-Repeated-Headers", "x-api-key"];
    expect(decidingHeader(received("X-Api-Key", "k", ...note), "X-Api-Key")).toBe("k");
    const twice = received(...note, "X-Idempotency-Key", "a", "X-Idempotency-Key", "b");
    expect(() => decidingHeader(twice, "X-Idempotency-Key")).toThrow("more than once");
  });
});

test("a storable path has no card number and keeps all our ids", () => {
  const path = "/v1/payments/pay_01kag8k6wnf3ksvd7h95v7c8gt/refund";
  expect(keepablePathOf(`http://localhost${path}?a=b`)).toBe(path);
  expect(keepablePathOf("http://localhost/api/keys/4242(4242(4242(4242%20123/rotate")).toBe(
    "/api/keys/[card number]/rotate",
  );
  const arabic = encodeURIComponent("٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢");
  expect(keepablePathOf(`http://localhost/v1/payments/${arabic}`)).toBe("/v1/payments/[card number]");
  expect(keepablePathOf("http://localhost/v1/payments/caf%C3%A9")).toBe("/v1/payments/caf%C3%A9");
});

test.each(["pay", "challenge", "receipt", "invoice", "portal", "report-file"])(
  "a storable path has no token: /%s/…",
  (page) => {
    expect(keepablePathOf(`http://localhost/${page}/env_1.cs_1.secret/result?a=b`)).toBe(`/${page}/{token}/result`);
  },
);

describe("the caller's address", () => {
  afterEach(() => void vi.unstubAllEnvs());
  const forwarded = new Headers({ "x-forwarded-for": "6.6.6.6, 1.2.3.4" });

  test("is the connection's while no proxy is trusted, whatever a header claims", () => {
    expect(addressOf(forwarded, { ip: "9.9.9.9" })).toBe("9.9.9.9");
  });

  test("is the last forwarded one, set by the host, if the connection is not accessible", () => {
    expect(addressOf(forwarded, { ip: null })).toBe("1.2.3.4");
    expect(addressOf(new Headers({ "x-forwarded-for": "::ffff:127.0.0.1" }), { ip: null })).toBe("127.0.0.1");
    expect(addressOf(new Headers(), { ip: null })).toBe("");
  });

  test.each([
    ["0", "9.9.9.9"],
    ["1", "1.2.3.4"],
    ["2", "6.6.6.6"],
    ["3", "9.9.9.9"],
  ])("with %s trusted proxies is %s, on either host", (proxies, address) => {
    vi.stubEnv("TRUSTED_PROXIES", proxies);
    expect(addressOf(forwarded, { ip: "9.9.9.9" })).toBe(address);
    expect(callerAddress("6.6.6.6, 1.2.3.4", "::ffff:9.9.9.9")).toBe(address);
  });

  test.each([
    ["203.0.113.7:443", "203.0.113.7"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ['"[2001:DB8:0:0::1]:443"', "2001:db8::1"],
    ["2001:db8::443", "2001:db8::443"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["[::ffff:203.0.113.7]:9", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["fe80::1%eth0", "fe80::1"],
  ])("is found in %s", (entry, address) => {
    vi.stubEnv("TRUSTED_PROXIES", "1");
    expect(callerAddress(`6.6.6.6, ${entry}`, "9.9.9.9")).toBe(address);
  });

  test.each([
    "unknown",
    "_hidden",
    "",
    "203.0.113.7:",
    "203.0.113",
    "203.0.113.7:443:1",
    "[203.0.113.7",
    "1.2.3.4 5",
    "999.1.1.1",
  ])("is the connection's for %j", (entry) => {
    vi.stubEnv("TRUSTED_PROXIES", "1");
    expect(callerAddress(`6.6.6.6, ${entry}`, "::ffff:9.9.9.9")).toBe("9.9.9.9");
  });
});
