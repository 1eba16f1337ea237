import { readFileSync } from "node:fs";
import { refundPayment } from "@/lib/contract/payments/endpoints";
import { stopReportMail } from "@/lib/contract/reports/report-mail";
import { mailReports } from "@/lib/domain/reports/report-mails";
import { outboxLink } from "@/lib/http/outbox-link";
import { expectWellInEveryLook, openAlive, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { mailsTo } from "../fixtures/users";
import { captured } from "../samples";

test("gross, refunds, fees and net of each day are shown and saved as a file", { tag: "@looks" }, async ({
  owner: page,
  api,
}) => {
  const paid = await captured(api, { amount: 20_000 });
  await captured(api, { amount: 1_999 });
  await api.call(refundPayment, { id: paid.id, body: { amount: 500 }, key: `refund-${paid.id}` });

  await page.goto("/test");
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Reports" }).click();
  await expect(page.getByText("No money moved on these days")).toBeVisible();
  await page.getByLabel("First day").fill("2020-01-01");
  await page.getByLabel("Last day").fill("2099-12-31");
  await page.getByRole("button", { name: "Show" }).click();
  const totals = page.getByRole("table", { name: "Totals by currency" });
  await expect(totals.getByRole("row", { name: /USD/ })).toContainText("$219.99");
  await page.getByText("How this is computed").click();
  await expect(page.getByText(/from ledger_entries/)).toBeVisible();
  await expectWellInEveryLook(page);

  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
  const [head, ...lines] = readFileSync(await (await download).path(), "utf8")
    .trimEnd()
    .split("\n");
  expect(head).toBe("day,currency,captures,gross,refund_count,refunds,fees,net,disputes,dispute_fees");
  const net = lines.reduce((sum, line) => sum + Number(line.split(",").at(-3)), 0);
  const fees = lines.reduce((sum, line) => sum + Number(line.split(",").at(-4)), 0);
  expect(net + fees).toBe(21_499);

  for (const [tab, table] of [
    ["Balance", /Closing balance/],
    ["Money movements", /Refund .*txn_/],
  ] as const) {
    await page.getByRole("navigation", { name: "Report" }).getByRole("link", { name: tab }).click();
    await expect(
      page.getByRole("table", { name: "Rows of the report" }).getByRole("row", { name: table }),
    ).toBeVisible();
  }
  await expectWellInEveryLook(page);
});

test("a report by mail is chosen, kept, and stopped", async ({ owner: page }) => {
  await page.goto("/test/reports?type=fees");
  const mail = page.getByLabel("By e-mail");
  await expect(mail).toHaveValue("");
  for (const [choice, value, done] of [
    ["Each month", "MONTH", "E-mailed each month from now on"],
    ["Never", "", "No longer e-mailed"],
  ] as const) {
    await mail.selectOption(choice);
    await expect(page.getByText(done)).toBeVisible();
    await page.reload();
    await expect(mail).toHaveValue(value);
  }
});

test("a mail's link stops its report after a press, and neither a scanner nor a forged link does", {
  tag: "@looks",
}, async ({ page, newPerson, signInAs, service, baseUrl, db }) => {
  const person = await newPerson("finance");
  await signInAs(page.context(), person);
  for (const type of ["activity", "fees"]) {
    await openAlive(page, `/test/reports?type=${type}`);
    await page.getByLabel("By e-mail").selectOption("Each week");
    await expect(page.getByText("E-mailed each week from now on")).toBeVisible();
  }
  const chosen = async () =>
    (
      await db.sql<{ type: string }[]>`select type from report_mails where user_id = ${person.userId} order by type`
    ).map(({ type }) => type);
  const mailed = async (label: string) =>
    (await mailsTo(db, person.email)).filter(({ subject }) => subject.startsWith(label)).length;
  const mailDue = async () => {
    await db.sql`update report_mails set due_at = now() - interval '1 minute' where user_id = ${person.userId}`;
    await mailReports({ ...service, baseUrl });
  };
  await mailDue();
  await page.context().clearCookies();

  await page.goto(outboxLink({ ...service, baseUrl }));
  const mail = page.getByRole("article").filter({ hasText: person.email }).filter({ hasText: "Activity in test mode" });
  const href = await mail.getByRole("link", { name: /stop-report-mails/ }).getAttribute("href");
  const url = new URL(href ?? "", baseUrl).href;
  for (const method of ["GET", "HEAD", "GET"]) expect((await page.request.fetch(url, { method })).status()).toBe(200);
  expect((await page.request.post(url)).status()).toBe(405);
  expect(await chosen(), "after a scanner's visits").toEqual(["activity", "fees"]);

  const token = url.slice(url.lastIndexOf("/") + 1);
  const forged = [token.replace(".activity.", ".fees."), `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`];
  for (const wrong of forged) {
    await page.goto(`/stop-report-mails/${wrong}`);
    await expect(page.getByRole("heading", { name: "This link is not complete" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Stop e-mails" })).toHaveCount(0);
    const headers = { "sec-fetch-site": "same-origin", origin: baseUrl };
    const answer = await page.request.post(stopReportMail.path, { data: { token: wrong }, headers });
    expect(answer.status()).toBe(404);
  }
  await expectWellInEveryLook(page);
  expect(await chosen(), "after forged links").toEqual(["activity", "fees"]);

  for (const _ of ["first", "again"]) {
    await openAlive(page, url);
    await expect(page.getByRole("heading", { name: "Stop this report?" })).toBeVisible();
    await expect(page.getByText("The report “Activity” will no longer be e-mailed to you.")).toBeVisible();
    await page.getByRole("button", { name: "Stop e-mails" }).click();
    await expect(page.getByRole("heading", { name: "No longer e-mailed" })).toBeVisible();
    expect(await chosen()).toEqual(["fees"]);
  }
  await mailDue();
  // The service's own job may be mailing them.
  const due = () => db.sql`select from report_mails where user_id = ${person.userId} and due_at <= now()`;
  await expect.poll(due).toHaveLength(0);
  await expect.poll(async () => [await mailed("Activity"), await mailed("Fees")]).toEqual([1, 2]);
});

test("an invalid address shows no figures", async ({ owner: page }) => {
  await page.goto("/test/reports?type=everything");
  await expect(page.getByText("This link has an unknown filter")).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
});
