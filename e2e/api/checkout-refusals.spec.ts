import { expect } from "../fixtures";
import { PaymentForm, formTest as test } from "../payment-form";
import { aCard, CARDS } from "../samples";

const UNKNOWN = ["x", "cst_", `cst_${"a".repeat(43)}`, `cst_${"a".repeat(44)}`, "cst_%00", "4242424242424242"];
for (const token of UNKNOWN) {
  test(`there is no session '${token.slice(0, 8)}' of ${token.length} characters: 404, whatever is asked`, async ({
    baseUrl,
  }) => {
    const form = new PaymentForm(baseUrl, token);
    expect([400, 404]).toContain((await form.page()).status);
    // Whatever was tried as a token could be one.
    expect((await form.call("/state")).refused("resource_not_found").instance).toBe("/pay/{token}/state");
    (await form.attempt()).refused("resource_not_found");
  });
}

for (const [what, headers] of [
  ["says nothing of where it comes from", {}],
  ["comes from another site", { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }],
  ["comes from a neighbour", { "Sec-Fetch-Site": "same-site" }],
  ["was typed into the address bar", { "Sec-Fetch-Site": "none" }],
  ["has the merchant's origin", { Origin: "https://shop.example" }],
  ["has no origin", { Origin: "null" }],
] as const) {
  test(`an attempt that ${what} is refused: 403, and nothing is counted`, async ({ open }) => {
    const { form } = await open({ allowed_origins: ["https://shop.example"] });
    (await form.attempt({}, { headers })).refused("origin_not_allowed");
    expect(await form.state()).toMatchObject({ status: "OPEN", attempts_left: 5 });
  });
}

test("an older browser, which sends only its origin, can pay", async ({ baseUrl, open }) => {
  const { form } = await open();
  expect((await form.attempt({}, { headers: { Origin: baseUrl } })).taken().state.status).toBe("COMPLETED");
});

const wrongCard = (overrides: object) => ({ card: aCard(CARDS.approved, overrides) });
for (const [what, body, code, param] of [
  ["no card", { card: undefined }, "missing_parameter", "card"],
  ["a number that fails Luhn", wrongCard({ number: "4242424242424241" }), "invalid_parameter", "card.number"],
  ["a short number", wrongCard({ number: "4242" }), "invalid_parameter", "card.number"],
  ["a 13th month", wrongCard({ exp_month: 13 }), "invalid_parameter", "card.exp_month"],
  ["a year of two digits", wrongCard({ exp_year: 30 }), "invalid_parameter", "card.exp_year"],
  ["a code of two digits", wrongCard({ cvv: "12" }), "invalid_parameter", "card.cvv"],
  ["a code of four digits for a Visa", wrongCard({ cvv: "1234" }), "invalid_parameter", "card.cvv"],
  ["a number as the name", wrongCard({ name: "4242 4242 4242 4242" }), "invalid_parameter", "card.name"],
  ["a number as the postal code", { postal_code: "4242424242424242" }, "invalid_parameter", "postal_code"],
  ["an unknown mode", { mode: "free" }, "invalid_parameter", "mode"],
  ["an attempt of nothing", { attempt: "" }, "invalid_parameter", "attempt"],
  ["an attempt with a space", { attempt: "a b" }, "invalid_parameter", "attempt"],
  ["an attempt too long", { attempt: "a".repeat(65) }, "invalid_parameter", "attempt"],
  ["an amount", { amount: 1 }, "unknown_parameter", "amount"],
  ["a currency", { currency: "XTS" }, "unknown_parameter", "currency"],
  ["a member of the card that there is none", wrongCard({ pin: "1234" }), "unknown_parameter", "card.pin"],
] as const) {
  test(`an attempt is refused, and not counted: ${what}`, async ({ open }) => {
    const { form } = await open();
    const answer = await form.attempt(body);
    expect(answer.refused(code).errors.map((error) => error.param)).toContain(param);
    expect(answer.text).not.toMatch(/4242 ?4242/);
    expect(await form.state()).toMatchObject({ status: "OPEN", attempts_left: 5, failure: null });
  });
}

test("only JSON of a sensible size is read, and only by POST", async ({ open }) => {
  const { form } = await open();
  const plain = { "Sec-Fetch-Site": "same-origin", "Content-Type": "text/plain" };
  (await form.attempt({}, { headers: plain })).refused("unsupported_media_type");
  (await form.attempt({}, { raw: '{"card":{"number":"4242424242424242"' })).refused("malformed_json");
  (await form.attempt({}, { raw: JSON.stringify({ x: "x".repeat(70_000) }) })).refused("body_too_large");
  const read = await form.call("/attempts");
  read.refused("method_not_allowed");
  expect(read.headers.get("allow")).toBe("POST");
  const written = await form.call("/state", { method: "POST", body: "{}" });
  expect([written.status, written.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
