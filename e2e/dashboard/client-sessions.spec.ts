import type { Sql } from "@/db/client";
import { cancelClientSession, getClientSession } from "@/lib/contract/checkout/endpoints";
import { decodeId } from "@/lib/contract/ids";
import { chooseFilter, test, untilAlive } from "../browser";
import { expect } from "../fixtures/playwright";
import { aCard, CARDS, newSession } from "../samples";
import { opens } from "./money-dialogs";

async function expire(db: { sql: Sql }, { id }: { id: string }): Promise<void> {
  await db.sql`update client_sessions set expires_at = now() - interval '1 minute' where id = ${decodeId("clientSession", id)}`;
}

test("the list is filtered and paged by its address, and its rows lead to their sessions", async ({
  owner: page,
  api,
  db,
}) => {
  await page.goto("/test/checkout");
  await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  await expect(page.getByText("curl -X POST")).toBeVisible();
  const cancelled = await newSession(api, { customer_name: "Cancelled shopper" });
  (await api.call(cancelClientSession, { id: cancelled.id, body: {} })).ok();
  await expire(db, await newSession(api, { customer_name: "Late shopper" }));
  for (let i = 1; i <= 19; i++) await newSession(api, { customer_email: `shopper-${i}@x.example` });
  await page.goto("/test/checkout");
  await expect(page.getByText("1–20 of 21 sessions")).toBeVisible();
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByText("21–21 of 21 sessions")).toBeVisible();
  await expect(page.getByRole("row", { name: /Cancelled shopper/ })).toBeVisible();
  await chooseFilter(page, "Status", "Expired");
  await page.waitForURL("**/checkout?status=EXPIRED");
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("row", { name: /€25\.00 EUR Expired Late shopper/ })).toBeVisible();
  await chooseFilter(page, "Status", "Completed");
  await expect(page.getByRole("heading", { name: "No sessions match" })).toBeVisible();
  await page.getByRole("link", { name: "Show all sessions" }).click();
  await expect(page.getByText("1–20 of 21 sessions")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "No sessions match" })).toBeVisible();
  await page.goto("/test/checkout?status=CANCELLED");
  await page.getByRole("link", { name: "€25.00 EUR" }).click();
  await page.waitForURL(`**/checkout/${cancelled.id}`);
  await page.goto("/test/checkout?status=ODD");
  await expect(page.getByText("This link has an unknown filter")).toBeVisible();
});

test("an open session is cancelled after a confirmation that explains it", async ({ owner: page, api }) => {
  const { id } = await newSession(api);
  await page.goto(`/test/checkout/${id}`);
  await page.getByRole("button", { name: "Cancel session" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this session?" });
  await dialog.getByRole("button", { name: "Keep it open" }).click();
  expect((await api.call(getClientSession, { id })).ok().status).toBe("OPEN");
  await page.getByRole("button", { name: "Cancel session" }).click();
  await dialog.getByRole("button", { name: "Cancel session" }).click();
  await expect(page.getByRole("list", { name: "History" })).toContainText("By Test owner");
  await expect(page.getByRole("button", { name: "Cancel session" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Create another" })).toBeVisible();
  expect((await api.call(getClientSession, { id })).ok().status).toBe("CANCELLED");
});

test("a session that ended in the meantime is reported in the dialog", async ({ owner: page, api }) => {
  const { id } = await newSession(api);
  await page.goto(`/test/checkout/${id}`);
  await page.getByRole("button", { name: "Cancel session" }).click();
  (await api.call(cancelClientSession, { id, body: {} })).ok();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel session" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "is CANCELLED" })).toBeVisible();
});

test("a session shows its attempts in plain words, and its payment leads back to it", async ({
  owner: page,
  api,
  baseUrl,
}) => {
  const session = await newSession(api, { metadata: { order: "42" } });
  const pay = (number: string, attempt: string) =>
    page.request.post(`${baseUrl}/pay/${session.client_session_token}/attempts`, {
      headers: { "sec-fetch-site": "same-origin" },
      data: { attempt, mode: "payment", card: { ...aCard(number), name: "Ada Lovelace" } },
    });
  await page.goto(`/test/checkout/${session.id}`);
  await expect(page.getByText("No card has been tried yet")).toBeVisible();
  await expect(page.getByText("order", { exact: true })).toBeVisible();

  expect((await pay(CARDS.declined, "first")).status()).toBe(200);
  await page.reload();
  const attempts = page.getByRole("region", { name: "Attempts" });
  await expect(attempts).toContainText("4 of 5 attempts left");
  await expect(attempts.getByRole("listitem")).toHaveText([/Visa •••• 0002.*Declined.*The issuer gave no reason/]);

  expect((await pay(CARDS.approved, "second")).status()).toBe(200);
  await page.reload();
  await expect(attempts.getByRole("listitem")).toHaveText([/4242.*Captured/, /0002.*Declined/]);
  await expect(page.getByRole("list", { name: "History" })).toContainText("Completed");
  await expect(page.getByRole("button", { name: "Cancel session" })).toHaveCount(0);
  const { payment_id } = (await api.call(getClientSession, { id: session.id })).ok();

  await page.goto("/test/checkout?status=COMPLETED");
  await expect(page.getByRole("row", { name: /€25\.00 EUR Completed/ })).toContainText("2 of 5");
  await page.getByRole("link", { name: "View payment" }).click();
  await page.waitForURL(`**/test/payments/${payment_id}`);
  const sessionLink = page.getByTitle(session.id, { exact: true });
  await opens(page.locator("#developer > summary"), sessionLink);
  await sessionLink.click();
  await page.waitForURL(`**/test/checkout/${session.id}`);
  await page.getByRole("link", { name: "Payment with Visa •••• 0002" }).click();
  await page.waitForURL("**/test/payments/pay_*");
  await expect(page.getByText("Declined").first()).toBeVisible();
});

test("a viewer sees sessions and changes nothing; an operator creates them, and can't change the appearance", async ({
  page,
  api,
  newPerson,
  signInAs,
}) => {
  const { id } = await newSession(api);
  await signInAs(page.context(), await newPerson("viewer"));
  await page.goto("/test/checkout");
  await expect(page.getByText("1 session")).toBeVisible();
  await expect(page.getByRole("link", { name: "New session" })).toHaveCount(0);
  await page.goto(`/test/checkout/${id}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("€25.00 EUR");
  await expect(page.getByRole("button", { name: "Cancel session" })).toHaveCount(0);
  for (const path of ["/test/checkout/new", "/test/checkout/appearance"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: /You don’t have access to/ })).toBeVisible();
  }
  await page.context().clearCookies();
  await signInAs(page.context(), await newPerson("operator"));
  await page.goto("/test/checkout");
  await expect(page.getByRole("link", { name: "New session" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Appearance" })).toHaveCount(0);
  const answer = await page.request.fetch("/api/dashboard/test/checkout/appearance", {
    method: "PATCH",
    headers: { "sec-fetch-site": "same-origin" },
    data: { appearance: { preset: "night" } },
  });
  expect(answer.status()).toBe(403);
});

test("a session of another merchant, or of the other mode, is not found", async ({ owner: page, stranger, tenant }) => {
  const strange = await newSession(stranger.api, { customer_name: "Somebody else’s" });
  const live = await newSession(tenant.live, { customer_name: "Somebody else’s" });
  for (const id of [strange.id, live.id, "cs_01h455vb4pex5vsknk084sn02q", "nonsense"]) {
    await page.goto(`/test/checkout/${id}`);
    await expect(page.getByRole("heading", { name: "No such client session" })).toBeVisible();
    await expect(page.getByText("Somebody else’s")).toHaveCount(0);
  }
});

test("the pages are reached by shortcut, palette and a pasted id", async ({ owner: page, api }) => {
  const { id } = await newSession(api);
  await page.goto("/test");
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  await untilAlive(page);
  await expect(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL("**/test/checkout", { timeout: 2_000 });
  }).toPass();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/^A page, a customer/).fill("payment link");
  await expect(page.getByRole("option", { name: /^Payment links/ })).toBeVisible();
  await page.getByPlaceholder(/^A page, a customer/).fill(id);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/test/checkout/${id}`);
});
