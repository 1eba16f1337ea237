import { createPlan } from "@/lib/contract/plans/endpoints";
import { test, untilAlive } from "../browser";
import { expect } from "../fixtures/playwright";
import { aPlan, captured, newSession } from "../samples";

test("a second merchant who opens every URL of the first sees none of its data", { tag: "@prove" }, async ({
  tenant,
  newPerson,
  signInAs,
  stranger,
  db,
  page,
  baseUrl,
}) => {
  const email = "only-the-first-knows@shopper.example";
  const payment = await captured(tenant.api, { customer_email: email, description: "A secret order" });
  const plan = (await tenant.api.call(createPlan, { body: aPlan({ name: "Secret plan" }), key: "secret-key" })).ok();
  const session = await newSession(tenant.api, { customer_email: email });
  const key = await tenant.newKey();
  const [charge] = payment.transactions;

  const person = await newPerson("owner");
  await db.sql`update users set merchant_id = ${stranger.merchant.id} where id = ${person.userId}`;
  await signInAs(page.context(), person);

  const pages = [
    `/test/payments/${payment.id}`,
    `/live/payments/${payment.id}`,
    `/test/transactions/${charge?.id}`,
    `/test/transactions?panel=${payment.id}`,
    `/test/transactions?q=${email}`,
    "/test/transactions",
    "/test",
    `/test/plans/${plan.id}`,
    "/test/plans",
    `/test/checkout/${session.id}`,
    "/test/checkout",
    "/test/developers/api-keys",
    "/test/developers/idempotency",
    "/test/developers/idempotency?key=secret-key",
    "/test/settings",
  ];
  for (const path of pages) {
    await page.goto(path);
    await untilAlive(page);
    const text = await page.locator("body").innerText();
    for (const secret of [email, "A secret order", "Secret plan", key.secret.slice(-4)]) {
      expect(text.replaceAll(`q=${email}`, ""), path).not.toContain(
        path.includes(email) && secret === email ? "\0" : secret,
      );
    }
  }

  const own = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const attempts: [string, string][] = [
    ["GET", `/api/dashboard/test/payments/${payment.id}`],
    ["POST", `/api/dashboard/test/api-keys/${key.id}/revoke`],
    ["POST", `/api/dashboard/test/api-keys/${key.id}/disable`],
    ["POST", `/api/dashboard/test/api-keys/${key.id}/rotate`],
  ];
  for (const [method, path] of attempts) {
    const body = path.endsWith("revoke") ? { name: "Test key" } : path.endsWith("rotate") ? { overlap_hours: 0 } : {};
    const answer = await page.request.fetch(`${baseUrl}${path}`, {
      method,
      headers: own,
      ...(method === "POST" && { data: body }),
    });
    expect([400, 404], `${method} ${path}: ${await answer.text()}`).toContain(answer.status());
  }
  expect((await key.api.call(createPlan, { body: aPlan() })).status).toBe(201);
});

test("without a session every page redirects to the sign-in, and back afterwards", async ({ page, newPerson }) => {
  const person = await newPerson("owner");
  await page.goto("/test/transactions?status=DECLINED");
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/test\/transactions\?status=DECLINED/);
});
