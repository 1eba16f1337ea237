import { createClientSession } from "@/lib/contract/checkout/endpoints";
import { createPayment } from "@/lib/contract/payments/endpoints";
import { expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aCard, aPayment, aSession } from "../samples";

const PAGE = "/test/developers/idempotency";

test("a key shows its first request, its response, its replays, and what differed when it was reused", async ({
  owner,
  tenant,
}) => {
  const body = aPayment({ metadata: { order_id: "7" } });
  const payment = (await tenant.api.call(createPayment, { body, key: "order-7" })).ok();
  await tenant.api.call(createPayment, { body, key: "order-7" });
  const other = aPayment({ amount: 12_000, card: aCard("4111111111111111"), metadata: { order_id: "7" } });
  (await tenant.api.call(createPayment, { body: other, key: "order-7" })).problem("idempotency_key_reused");

  await owner.goto(PAGE);
  await expect(owner.getByRole("row").filter({ hasText: "order-7" })).toContainText("1 refused");
  await owner.getByLabel("Find a key").fill("order-7");
  await owner.getByRole("button", { name: "Inspect" }).click();
  await expect(owner).toHaveURL(`${PAGE}?key=order-7`);

  const first = owner.getByRole("region", { name: "First request", exact: true });
  await expect(first).toContainText("POST /v1/payments");
  await expect(first).toContainText("Test key");
  await expect(first).toContainText('"last4": "4242"');
  await expect(owner.getByText("4242424242424242")).toHaveCount(0);
  const outcome = owner.getByRole("region", { name: "Result" });
  await expect(outcome).toContainText("201");
  await expect(outcome).toContainText("1 time");
  await expect(outcome.getByRole("link", { name: payment.id })).toHaveAttribute("href", `/test/payments/${payment.id}`);
  await expect(owner.getByText("Nothing runs twice.")).toBeVisible();

  const reuse = owner.getByRole("region", { name: "Refused once for a different request" });
  const rows = reuse.getByRole("table").getByRole("row");
  await expect(rows.nth(1)).toContainText(/card\.last4.*4242.*1111|amount.*10000.*12000/);
  await expect(rows).toHaveCount(3);
});

test("a response with a secret is not shown", async ({ owner, tenant }) => {
  const session = (await tenant.api.call(createClientSession, { body: aSession(), key: "session" })).ok();
  await owner.goto(`${PAGE}?key=session`);
  await expect(owner.getByText("a secret that is shown only once")).toBeVisible();
  expect(await owner.content()).not.toContain(session.client_session_token);
});

test("another merchant's key, and one that was never used, are new here", async ({ owner, stranger }) => {
  await stranger.api.call(createPayment, { body: aPayment(), key: "theirs" });
  for (const key of ["theirs", "never-used"]) {
    await owner.goto(`${PAGE}?key=${key}`);
    await expect(owner.getByRole("heading", { name: "No such key here" })).toBeVisible();
  }
  const answer = await owner.request.get("/api/dashboard/test/idempotency-key?key=theirs");
  expect(answer.status()).toBe(404);
});

test("before the first key there is a command to copy", async ({ owner }) => {
  await owner.goto(PAGE);
  await expect(owner.getByRole("heading", { name: "No keys in the last day" })).toBeVisible();
  await expect(owner.getByText('-H "X-Idempotency-Key: $(uuidgen)"')).toBeVisible();
});

test("the page is accessible and fits 390 px", { tag: ["@looks", "@prove"] }, async ({ owner, tenant }) => {
  await tenant.api.call(createPayment, { body: aPayment(), key: "k" });
  await tenant.api.call(createPayment, { body: aPayment({ amount: 1 }), key: "k" });
  for (const path of [PAGE, `${PAGE}?key=k`, `${PAGE}?key=none`]) {
    await owner.goto(path);
    await expect(owner.getByLabel("Find a key")).toBeVisible();
    await expectWellInEveryLook(owner);
  }
});
