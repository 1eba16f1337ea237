import { expect, test } from "../fixtures";

test("any page of any site may load the merchants' script, and asks for a new one every few minutes", async ({
  request,
  baseUrl,
}) => {
  for (const [file, type] of [
    ["v1.js", /^text\/javascript|^application\/javascript/],
    ["v1.d.ts", /^text\/plain/],
  ] as const) {
    const headers = (await request.get(`${baseUrl}/sdk/${file}`)).headers();
    expect(headers["content-type"]).toMatch(type);
    expect(headers["cache-control"]).toBe("public, max-age=300, stale-while-revalidate=86400");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["cross-origin-resource-policy"]).toBe("cross-origin");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers.etag).toBeTruthy();
  }
});

test("the payment form's page names its files by their content, and our own host has them kept for a year", async ({
  request,
  baseUrl,
  host,
}) => {
  const html = await (await request.get(`${baseUrl}/pay/preview`)).text();
  const addresses = [...html.matchAll(/"(\/sdk\/frame\.(?:js|css)\?v=[0-9a-f]{12})"/g)].map(([, address]) => address);
  expect(new Set(addresses).size).toBe(2);
  for (const address of addresses) {
    const response = await request.get(baseUrl + address);
    expect(response.status()).toBe(200);
    // Next cannot tell a file's own address from another instance's, so there browsers ask each time.
    const caching = host === "next" ? "public, max-age=0" : "public, max-age=31536000, immutable";
    expect(response.headers()["cache-control"]).toBe(caching);
    expect(response.headers()["x-content-type-options"]).toBe("nosniff");
  }
});

test("no page but a payment's may be framed", async ({ request, baseUrl }) => {
  for (const path of ["/", "/docs", "/sign-in", "/nowhere", "/payments"]) {
    const { "content-security-policy": policy } = (await request.get(baseUrl + path)).headers();
    expect(policy, path).toContain("frame-ancestors 'none'");
  }
});
