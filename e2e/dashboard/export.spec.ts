import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import type { Page } from "playwright/test";
import { encodeId } from "@/lib/contract/ids";
import { EXPORT_FIELDS } from "@/lib/contract/transactions/export";
import { expectAccessible, test, untilAlive } from "../browser";
import { latch } from "../fixtures/latch";
import { insertManyTransactions } from "../fixtures/many-rows";
import { expect } from "../fixtures/playwright";
import { aCard, CARDS, captured, chargeOf } from "../samples";

const MANY = 100_000;

/** The query of an export. Lists of support run one like it, but only briefly. */
const EXPORTING = "%from (select id, currency, amount, status from transactions where%";

// One after another: a service limits concurrent exports, and one test cuts a connection.
test.describe.configure({ mode: "default" });

type Line = Record<string, string>;

type Scope = "These columns" | "All columns";
type Kind = "CSV" | "CSV for Excel" | "Excel workbook";

/** Chooses in the dialog and reads the file that the browser saved. */
async function saved(page: Page, what: Scope, kind?: Kind): Promise<{ name: string; bytes: Buffer }> {
  const saving = page.waitForEvent("download");
  await choose(page, what, kind);
  const download = await saving;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

async function exported(page: Page, what: Scope): Promise<{ name: string; lines: Line[] }> {
  const { name, bytes } = await saved(page, what);
  return { name, lines: parse(bytes, { columns: true }) };
}

/** Opens the list with many new rows, whose first read can exceed the page's time limit on a busy machine. */
async function visitMany(page: Page): Promise<void> {
  await expect(async () => {
    await page.goto("/test/transactions");
    await expect(page.getByRole("button", { name: "Export", exact: true })).toBeVisible({ timeout: 15_000 });
    await untilAlive(page);
  }).toPass();
}

const exportDialog = (page: Page) => page.getByRole("dialog", { name: "Export transactions" });

async function openDialog(page: Page): Promise<void> {
  await expect(async () => {
    if (!(await exportDialog(page).isVisible()))
      await page.getByRole("button", { name: "Export", exact: true }).click({ timeout: 2_000 });
    await expect(exportDialog(page)).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

async function choose(page: Page, what: Scope, kind?: Kind): Promise<void> {
  await openDialog(page);
  if (kind) await exportDialog(page).getByRole("radio", { name: kind, exact: true }).check();
  await exportDialog(page).getByRole("radio", { name: what }).check();
  await exportDialog(page).getByRole("button", { name: "Export" }).click();
}

/** Holds back the responses of exports until released. */
async function holdExports(page: Page): Promise<() => void> {
  const { hold, release } = latch();
  await page.route("**/transactions/export**", async (route) => {
    await hold();
    await route.continue();
  });
  return release;
}

const progressOf = (page: Page) => page.getByRole("progressbar", { name: "Export" });
/** An export's progress, or its result. */
const wordsOn = async (page: Page) =>
  (await page.locator("progress + span, [data-sonner-toast]").allInnerTexts()).join(" ");

test("an export is the whole result of the filters in the page's order, with the table's columns", async ({
  owner,
  api,
}) => {
  const amounts = [3_000, 9_000, 6_000];
  for (const amount of amounts) await captured(api, { amount, customer_name: "=1+1" });
  await captured(api, { amount: 7_000, card: aCard(CARDS.amex) });
  await owner.goto("/test/transactions?brand=visa&min=50&sort=amount");
  const { name, lines } = await exported(owner, "These columns");
  expect(name).toMatch(/^transactions-test-\d{8}-\d{6}\.csv$/);
  expect(lines.map(({ amount }) => amount)).toEqual(["60.00", "90.00"]);
  expect(lines[0]).toMatchObject({ amount_minor: "6000", currency: "USD", status: "CAPTURED", card_last4: "4242" });
  expect(lines[0]?.customer_name).toBe("'=1+1");
  expect(lines[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Object.keys(lines[0] ?? {})).not.toContain("metadata");
  await expect(owner.getByText("Exported 2 transactions")).toBeVisible();
});

test("all columns include every field", async ({ owner, api }) => {
  const payment = await captured(api, { metadata: { order: 'A-1, "first"' }, description: "two\nlines" });
  await owner.goto("/test/transactions");
  const { lines } = await exported(owner, "All columns");
  expect(Object.keys(lines[0] ?? {})).toEqual([...EXPORT_FIELDS]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ id: chargeOf(payment).id, description: "two\nlines" });
  expect(JSON.parse(lines[0]?.metadata ?? "")).toEqual({ order: 'A-1, "first"' });
});

test("a file for people is of the chosen kind and region, which are remembered", async ({ owner, api }) => {
  await captured(api, { amount: 123_456, currency: "EUR", customer_id: "000123", customer_name: "Zoë" });
  await owner.goto("/test/transactions");
  await openDialog(owner);
  await exportDialog(owner).getByRole("radio", { name: "CSV for Excel" }).check();
  await exportDialog(owner).getByLabel("Region").selectOption("de-DE");
  const { bytes } = await saved(owner, "All columns");
  const [line] = parse(bytes, { columns: true, bom: true, delimiter: ";" }) as Line[];
  expect(bytes.subarray(0, 3).toString("hex")).toBe("efbbbf");
  expect(line).toMatchObject({ Amount: "1234,56", Status: "Captured", "Customer id": '="000123"', Name: "Zoë" });
  expect(line?.Fee).toMatch(/^\d+,\d\d$/);
  // The next page remembers the previous choice.
  await owner.goto("/test/transactions");
  await openDialog(owner);
  await expect(exportDialog(owner).getByRole("radio", { name: "CSV for Excel" })).toBeChecked();
  await expect(exportDialog(owner).getByLabel("Region")).toHaveValue("de-DE");
  const workbook = await saved(owner, "These columns", "Excel workbook");
  expect(workbook.name).toMatch(/^transactions-test-\d{8}-\d{6}\.xlsx$/);
  await expect(owner.getByText("Exported 1 transaction")).toBeVisible();
});

test("100,000 rows are complete, with progress, and equal to the database", { tag: "@prove" }, async ({
  owner,
  tenant,
  db,
}) => {
  test.setTimeout(180_000);
  await insertManyTransactions(db, tenant.merchant.test.id, MANY);
  await visitMany(owner);
  const downloaded = exported(owner, "All columns");
  await expect.poll(() => wordsOn(owner)).toContain("of 100,000");
  const { lines } = await downloaded;
  const stored = await db.long<{ id: string; amount: number }[]>`
    select id, amount from transactions where environment_id = ${tenant.merchant.test.id} order by id desc`;
  expect(lines.map(({ id, amount_minor }) => `${id} ${amount_minor}`)).toEqual(
    stored.map(({ id, amount }) => `${encodeId("transaction", id)} ${amount}`),
  );
});

test("an export that begins while its page is still loading is whole", async ({ owner, api }) => {
  for (let i = 0; i < 3; i++) await captured(api);
  const release = await holdExports(owner);
  const loading = owner.goto("/test/transactions");
  const followed = owner.waitForResponse("**/v1/transactions/search");
  const downloaded = exported(owner, "All columns");
  await expect(progressOf(owner)).toBeVisible();
  // The page has loaded, hydrated, and receives updates.
  await loading;
  await followed;
  await expect(progressOf(owner)).toBeVisible();
  release();
  expect((await downloaded).lines).toHaveLength(3);
});

test("an export continues while other pages are opened", async ({ owner, api }) => {
  await captured(api);
  await owner.goto("/test/transactions");
  const release = await holdExports(owner);
  const downloaded = exported(owner, "All columns");
  await expect(progressOf(owner)).toBeVisible();
  const navigation = owner.getByRole("navigation", { name: "Dashboard" });
  for (const name of ["Plans", "Payments"]) {
    await navigation.getByRole("link", { name }).click();
    await expect(owner.getByRole("heading", { name, level: 1 })).toBeVisible();
  }
  await expect(progressOf(owner)).toBeVisible();
  await navigation.getByRole("link", { name: "Plans" }).click();
  await expect(owner.getByRole("heading", { name: "Plans", level: 1 })).toBeVisible();
  release();
  expect((await downloaded).lines).toHaveLength(1);
  await expect(owner.getByText("Exported 1 transaction")).toBeVisible();
});

test("an export fails if a chunk of the page can't be loaded, and can be restarted", async ({ owner, api }) => {
  await captured(api);
  await owner.goto("/test/transactions");
  await untilAlive(owner);
  await expect(owner.getByRole("region", { name: "Totals" })).toBeVisible();
  await owner.context().setOffline(true);
  await owner.getByRole("button", { name: "Export", exact: true }).click();
  await expect(owner.getByText("Part of this page couldn’t be loaded")).toBeVisible();
  await owner.context().setOffline(false);
  await openDialog(owner);
  await owner.context().setOffline(true);
  await exportDialog(owner).getByRole("button", { name: "Export" }).click();
  await expect(progressOf(owner)).toBeHidden();
  await owner.context().setOffline(false);
  const { lines } = await exported(owner, "All columns");
  expect(lines).toHaveLength(1);
});

test("an export can be cancelled, and gives its connection back", { tag: "@prove" }, async ({ owner, tenant, db }) => {
  test.setTimeout(180_000);
  await insertManyTransactions(db, tenant.merchant.test.id, MANY);
  await visitMany(owner);
  for (let times = 0; times < 3; times++) {
    await choose(owner, "All columns");
    await owner.getByRole("button", { name: "Cancel the export" }).click();
    await expect(progressOf(owner)).toBeHidden();
  }
  // A new export waits until the cancelled one has ended, instead of being refused.
  expect(await wordsOn(owner)).not.toContain("failed");
  await expect
    .poll(async () => {
      const rows = await db.sql`select from pg_stat_activity
        where datname = current_database() and state <> 'idle' and query like ${EXPORTING}
          and xact_start < now() - interval '1 second'`;
      return rows.length;
    })
    .toBe(0);
});

test("an export whose database connection is lost is cut off, and does not look complete", { tag: "@prove" }, async ({
  owner,
  tenant,
  db,
  baseUrl,
}) => {
  test.setTimeout(180_000);
  await insertManyTransactions(db, tenant.merchant.test.id, MANY);
  const cookies = await owner.context().cookies();
  const answer = await fetch(`${baseUrl}/test/transactions/export`, {
    headers: { Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") },
  });
  expect(answer.headers.get("x-total-count")).toBe(String(MANY));
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  // Between two chunks the connection briefly shows no active query.
  const kill = async () => {
    const killed = await db.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state <> 'idle' and query like ${EXPORTING}
        and xact_start = (select min(xact_start) from pg_stat_activity
          where datname = current_database() and state <> 'idle' and query like ${EXPORTING})`;
    return killed.length;
  };
  await expect.poll(kill).toBeGreaterThan(0);
  const rest = async () => {
    for (;;) if ((await reader.read()).done) return;
  };
  await expect(rest()).rejects.toThrow();
});

test("an incomplete file is not saved, and the page says so", async ({ owner, api }) => {
  for (let i = 0; i < 3; i++) await captured(api);
  await owner.goto("/test/transactions");
  await owner.route("**/transactions/export**", async (route) => {
    const response = await route.fetch();
    const lines = (await response.text()).split("\n");
    await route.fulfill({ response, body: `${lines.slice(0, 3).join("\n")}\n` });
  });
  let saved = 0;
  owner.on("download", () => saved++);
  await choose(owner, "These columns");
  await expect(owner.getByText("The export failed")).toBeVisible();
  await expect(owner.getByText(/ended after 2 of 3 rows/)).toBeVisible();
  expect(saved).toBe(0);
});

test("an error of the service is shown in its words", async ({ owner, api }) => {
  await captured(api);
  await owner.goto("/test/transactions");
  await owner.route("**/transactions/export**", (route) =>
    route.continue({ url: `${route.request().url()}&brand=nothing` }),
  );
  await choose(owner, "All columns");
  await expect(owner.getByText("A filter cannot be read.")).toBeVisible();
});

test("an export covers one's own merchant, needs a session, and accepts only the page's parameters", async ({
  owner,
  page,
  stranger,
  api,
  baseUrl,
}) => {
  await captured(stranger.api);
  await captured(api);
  const answer = await owner.request.get("/test/transactions/export");
  expect(answer.headers()["x-total-count"]).toBe("1");
  expect(parse(await answer.text(), { columns: true })).toHaveLength(1);
  expect((await owner.request.get("/test/transactions/export?columns=password_hash")).status()).toBe(400);
  expect((await owner.request.get("/test/transactions/export?status=NONSENSE")).status()).toBe(400);
  expect((await owner.request.get("/test/transactions/export?format=xls")).status()).toBe(400);
  expect((await owner.request.get("/nowhere/transactions/export")).status()).toBe(404);
  const foreign = await owner.request.get("/test/transactions/export", { headers: { "Sec-Fetch-Site": "cross-site" } });
  expect(foreign.status()).toBe(403);
  await page.context().clearCookies();
  expect((await fetch(`${baseUrl}/test/transactions/export`)).status).toBe(401);
});

test("the dialog and the progress are accessible", async ({ owner, api }) => {
  await captured(api);
  await owner.goto("/test/transactions");
  const release = await holdExports(owner);
  await openDialog(owner);
  await exportDialog(owner).getByRole("radio", { name: "CSV for Excel" }).check();
  await expectAccessible(owner);
  await choose(owner, "All columns");
  await expect(progressOf(owner)).toBeVisible();
  await expectAccessible(owner);
  release();
  await expect(owner.getByText("Exported 1 transaction")).toBeVisible();
});
