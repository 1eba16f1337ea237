import type { Page } from "playwright/test";
import { getDispute, updateDispute } from "@/lib/contract/disputes/endpoints";
import { getPayment } from "@/lib/contract/payments/endpoints";
import { newId } from "@/lib/ids";
import { test as base, openAlive } from "../browser";
import { openDispute } from "../fixtures/disputes";
import { latch } from "../fixtures/latch";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";

type Dispute = (paymentId: string, overrides?: Parameters<typeof openDispute>[2]) => ReturnType<typeof openDispute>;

const test = base.extend<{ dispute: Dispute }>({
  dispute: async ({ tenant, service, db }, use) => {
    const within = { service, db, environmentId: tenant.merchant.test.id };
    await use((paymentId, overrides) => openDispute(within, paymentId, overrides));
  },
});

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const rows = (page: Page) => page.getByRole("table").first().getByRole("row");
const block = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("the list begins with the next deadline, filters, and opens a dispute", async ({ owner, api, dispute }) => {
  const ada = { customer_email: "Ada@shopper.example", customer_name: "Ada Lovelace" };
  const [passed, late, soon, over] = [
    await captured(api, { amount: 4_400 }),
    await captured(api, { amount: 1_100, ...ada }),
    await captured(api, { amount: 2_200, customer_id: "cus_7" }),
    await captured(api, { amount: 3_300 }),
  ];
  await dispute(passed.id, { respond_by: inDays(-1) });
  await dispute(late.id, { respond_by: inDays(5.5), reason: "NOT_RECEIVED" });
  const { id } = await dispute(soon.id, { respond_by: inDays(1.5) });
  await dispute(over.id, { status: "won", respond_by: null });
  await openAlive(owner, "/test");
  await owner.getByRole("navigation").getByRole("link", { name: "Disputes" }).click();
  await expect(owner).toHaveURL("/test/disputes");
  await expect(rows(owner)).toHaveCount(1 + 4);
  await expect(rows(owner).nth(1)).toContainText("1 day left");
  await expect(rows(owner).nth(2)).toContainText("5 days left");
  await expect(rows(owner).nth(2)).toContainText("Ada Lovelace");
  await expect(rows(owner).nth(3)).toContainText("Won");
  await expect(rows(owner).nth(4)).toContainText("Deadline passed");

  for (const [query, amount] of [
    ["deadline=2-days", "$22.00"],
    ["deadline=passed", "$44.00"],
    ["reason=NOT_RECEIVED", "$11.00"],
    ["status=WON", "$33.00"],
    ["customer=cus_7", "$22.00"],
    ["customer=ada%40shopper.example", "$11.00"],
  ] as const) {
    await owner.goto(`/test/disputes?${query}`);
    await expect(rows(owner), query).toHaveCount(1 + 1);
    await expect(rows(owner).nth(1), query).toContainText(amount);
  }
  const file = await owner.request.get("/test/disputes/export?customer=cus_7&format=csv");
  expect((await file.text()).trim().split("\n")).toEqual([
    expect.stringMatching(/^id,status,/),
    expect.stringContaining(id),
  ]);
  await owner.goto("/test/disputes?deadline=passed&status=WON");
  await expect(owner.getByRole("heading", { name: "No disputes match" })).toBeVisible();

  await openAlive(owner, "/test/disputes");
  await owner.getByRole("search", { name: "Filter disputes" }).getByRole("button", { name: "Deadline" }).click();
  await owner.getByRole("button", { name: "Within 2 days" }).click();
  await expect(owner).toHaveURL(/deadline=2-days/);
  await owner.getByRole("search", { name: "Filter disputes" }).getByRole("button", { name: "Status" }).click();
  await owner.getByRole("checkbox", { name: "Needs a response" }).check();
  await expect(owner).toHaveURL(/status=NEEDS_RESPONSE&/);
  await owner.getByRole("checkbox", { name: "Won" }).check();
  await expect(owner).toHaveURL(/status=NEEDS_RESPONSE,WON/);
  await owner.keyboard.press("Escape");
  await expect(rows(owner)).toHaveCount(1 + 1);
  await rows(owner).nth(1).getByRole("link").click();
  await expect(owner).toHaveURL(`/test/disputes/${id}`);
});

test("a dispute's page says what the cardholder claims, until when to respond, and what happened", async ({
  owner,
  api,
  dispute,
}) => {
  const payment = await captured(api, { customer_id: "cus_7", customer_name: "Ada Lovelace" });
  const { id, becomes } = await dispute(payment.id, { reason: "NOT_RECEIVED", respond_by: inDays(6.5) });
  await openAlive(owner, `/test/disputes/${id}`);
  await expect(owner.getByRole("heading", { level: 1 })).toHaveText("Dispute of $100.00 USD");
  await expect(block(owner, "What the cardholder says")).toContainText("never arrived");
  await expect(block(owner, "Details")).toContainText("6 days left");
  await expect(block(owner, "Details")).toContainText("$15.00");
  await expect(block(owner, "Timeline").getByRole("listitem")).toHaveText([/Last moment/, /Opened by the cardholder/]);
  await expect(owner.getByRole("link", { name: "Respond at the processor" })).toHaveCount(0);

  await becomes({ status: "under_review", respond_by: null });
  await becomes({ status: "won" });
  await owner.reload();
  await expect(block(owner, "Timeline").getByRole("listitem")).toHaveText([/Won/, /Evidence submitted/, /Opened/]);
  await expect(block(owner, "Details")).not.toContainText("left");

  await block(owner, "Payment").getByRole("link").click();
  await expect(owner).toHaveURL(`/test/payments/${payment.id}`);
  await owner.getByRole("link", { name: "View dispute" }).click();
  await expect(owner).toHaveURL(`/test/disputes/${id}`);
  const customer = block(owner, "Customer").getByRole("link", { name: "Ada Lovelace" });
  // A job records customers within about a second of their payments.
  await expect(async () => {
    await owner.reload();
    await expect(customer).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await customer.click();
  await block(owner, "Disputes").getByRole("link", { name: "$100.00" }).click();
  await expect(owner).toHaveURL(`/test/disputes/${id}`);
});

test("the overview names the disputes to respond to, and a refund warns of one", async ({ owner, api, dispute }) => {
  const payment = await captured(api);
  const { id, becomes } = await dispute(payment.id);
  await openAlive(owner, "/test");
  const attention = block(owner, "Needs attention");
  await attention.getByRole("link", { name: "$100.00" }).click();
  await expect(owner).toHaveURL(`/test/disputes/${id}`);
  await owner.goBack();
  await attention.getByRole("link", { name: "1 dispute needs a response" }).click();
  await expect(owner).toHaveURL("/test/disputes?deadline=ahead");
  await expect(rows(owner)).toHaveCount(1 + 1);

  await openAlive(owner, `/test/payments/${payment.id}`);
  await expect(owner.getByRole("definition").filter({ hasText: "of disputes" })).toHaveText(
    "−$15.00with −$115.00 of disputes",
  );
  await owner.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = owner.getByRole("dialog");
  await expect(dialog.getByText("The cardholder’s bank disputes this money")).toBeVisible();
  await dialog.getByRole("button", { name: /^Refund \$100\.00/ }).click();
  await expect(dialog.getByRole("alert")).toContainText("Confirm that you want to refund it anyway.");
  expect((await api.call(getPayment, { id: payment.id })).ok().amount_refunded).toBe(0);

  await becomes({ status: "under_review", respond_by: null });
  await owner.goto("/test");
  await expect(attention.getByText("needs a response")).toHaveCount(0);
});

test("another merchant's dispute is not found", async ({ owner, stranger, service, db }) => {
  const payment = await captured(stranger.api);
  const { id } = await openDispute({ service, db, environmentId: stranger.merchant.test.id }, payment.id);
  for (const path of [`/test/disputes/${id}`, "/test/disputes/dp_nothing"]) {
    await owner.goto(path);
    await expect(owner.getByRole("heading", { name: "No such dispute" })).toBeVisible();
  }
});

const PDF = Buffer.from("%PDF-1.7\n%%EOF");
const NAME = "Lieferschein Müller & Söhne.pdf";

test("evidence is saved as a draft with its files, survives leaving the page, and is submitted once", async ({
  owner,
  api,
  dispute,
}) => {
  const payment = await captured(api);
  const { id } = await dispute(payment.id);
  await openAlive(owner, `/test/disputes/${id}`);
  const form = block(owner, "Your evidence");
  await expect(form.getByLabel("Notes for the bank")).toHaveAccessibleDescription(/The sandbox decides by these words/);
  await form.getByLabel("Product description").fill("Two prints, framed");
  await form.getByLabel("Carrier").fill("DHL");
  await form.getByLabel("Shipped on").fill("2026-11-14");
  await owner.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Disputes" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Stay" }).click();
  await form.getByRole("button", { name: "Save draft" }).click();
  await expect(form.getByRole("button", { name: "Save draft" })).toBeDisabled();

  await form.getByLabel("Files to add").setInputFiles({ name: "page.html", mimeType: "text/html", buffer: PDF });
  await expect(form.getByRole("alert")).toContainText("isn’t a PDF, PNG or JPEG");
  const chosen = { name: NAME, mimeType: "application/pdf", buffer: PDF };
  await form.getByLabel("Files to add").setInputFiles([chosen, { ...chosen, name: "draft.pdf" }]);
  await form.getByRole("button", { name: "Remove draft.pdf" }).click();
  await expect(form.getByRole("link", { name: "draft.pdf" })).toHaveCount(0);
  const link = form.getByRole("link", { name: NAME });
  const file = await owner.request.get((await link.getAttribute("href")) ?? "");
  expect(await file.body()).toEqual(PDF);
  expect(file.headers()).toMatchObject({
    "content-type": "application/pdf",
    "content-disposition": expect.stringMatching(
      /^attachment; .*filename\*=UTF-8''Lieferschein%20M%C3%BCller%20%26%20S%C3%B6hne\.pdf$/,
    ),
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("sandbox"),
    "cache-control": "no-store",
  });

  await owner.reload();
  await expect(form.getByLabel("Product description")).toHaveValue("Two prints, framed");
  await form.getByLabel("Notes for the bank").fill("winning_evidence");
  await form.getByRole("button", { name: "Submit evidence…" }).click();
  const dialog = owner.getByRole("dialog");
  await expect(dialog).toContainText("not change it afterwards");
  await expect(dialog).toContainText("1 file is attached");
  await dialog.getByRole("button", { name: "Submit evidence" }).click();
  await expect(owner.getByText("Won", { exact: true }).first()).toBeVisible();
  await expect(block(owner, "Your evidence")).toHaveCount(0);
  await expect(block(owner, "Evidence")).toContainText("winning_evidence");
  await expect(block(owner, "Evidence").getByRole("link", { name: NAME })).toBeVisible();
  await expect(block(owner, "Timeline").getByRole("listitem")).toContainText([/Won/, /Evidence submitted/, /Opened/]);
  await expect(block(owner, "Timeline")).toContainText("Evidence saved");
});

test("evidence can't be submitted while a file is uploaded, and counts it before the page shows it", async ({
  owner,
  api,
  dispute,
}) => {
  const payment = await captured(api);
  const { id } = await dispute(payment.id);
  await openAlive(owner, `/test/disputes/${id}`);
  const form = block(owner, "Your evidence");
  const [upload, reread] = [latch(), latch()];
  await owner.route("**/v1/files", async (route) => {
    await upload.hold();
    await route.continue();
  });
  await owner.route(
    (url) => url.pathname === `/test/disputes/${id}`,
    async (route) => {
      await reread.hold();
      await route.continue();
    },
  );
  const chosen = { name: NAME, mimeType: "application/pdf", buffer: PDF };
  await form.getByLabel("Files to add").setInputFiles(chosen);
  const submit = form.getByRole("button", { name: "Submit evidence…" });
  await expect(submit).toBeDisabled();
  await expect(form.getByText("You can submit when all files are uploaded.")).toBeVisible();
  upload.release();
  await expect(form.getByText("Added")).toBeVisible();
  await submit.click();
  await expect(owner.getByRole("dialog")).toContainText("1 file is attached.");
  reread.release();
  await expect(form.getByRole("link", { name: NAME })).toBeVisible();
  await expect(form.getByText("Added")).toHaveCount(0);
});

test("accepting says what it costs, and ends the dispute", async ({ owner, api, dispute }) => {
  const payment = await captured(api);
  const { id } = await dispute(payment.id);
  await openAlive(owner, `/test/disputes/${id}`);
  await owner.getByRole("button", { name: "Accept dispute…" }).click();
  const dialog = owner.getByRole("dialog");
  await expect(dialog).toContainText("$100.00");
  await expect(dialog).toContainText("$15.00");
  await dialog.getByRole("button", { name: "Give up $100.00" }).click();
  await expect(owner.getByText("Accepted", { exact: true }).first()).toBeVisible();
  await expect(owner.getByRole("button", { name: "Accept dispute…" })).toHaveCount(0);
  await openAlive(owner, `/test/payments/${payment.id}`);
  await expect(owner.getByText("Dispute accepted", { exact: true }).first()).toBeVisible();
  await expect(owner.getByText("Dispute lost", { exact: true })).toHaveCount(0);
});

test("a role that can't respond sees the saved evidence without buttons, and each request of its own is refused", async ({
  page,
  newPerson,
  signInAs,
  api,
  dispute,
}) => {
  const { id } = await dispute((await captured(api)).id);
  (await api.call(updateDispute, { id, body: { evidence: { notes: "Signed for by Ada." } } })).ok();
  await signInAs(page.context(), await newPerson("support"));
  await openAlive(page, `/test/disputes/${id}`);
  await expect(block(page, "Evidence")).toContainText("Signed for by Ada.");
  await expect(block(page, "Evidence")).toContainText("Your role can’t respond to disputes.");
  await expect(block(page, "Evidence").getByRole("button")).toHaveCount(0);
  await expect(
    page.getByRole("button", { name: /^(Accept dispute|Add files|Save draft|Submit evidence)/ }),
  ).toHaveCount(0);
  for (const [method, path] of [
    ["PATCH", ""],
    ["POST", "/submit"],
    ["POST", "/accept"],
  ] as const) {
    const body = JSON.stringify(method === "PATCH" ? { evidence: { notes: "Mine" } } : {});
    const headers = { "Content-Type": "application/json", "X-Cardlane-Mode": "test", "X-Idempotency-Key": newId() };
    const answer = await page.evaluate(
      async ([address, request]) => {
        const response = await fetch(address, request);
        return [response.status, (await response.json()).code];
      },
      [`/v1/disputes/${id}${path}`, { method, headers, body }] as const,
    );
    expect(answer, `${method} ${path}`).toEqual([403, "permission_denied"]);
  }
  expect((await api.call(getDispute, { id })).ok()).toMatchObject({
    status: "NEEDS_RESPONSE",
    pending_action: null,
    evidence: { notes: "Signed for by Ada." },
  });
});
