import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeId } from "@/lib/contract/ids";
import { listInvoices } from "@/lib/contract/invoices/endpoints";
import type { Permission } from "@/lib/contract/permissions";
import { getSubscription } from "@/lib/contract/subscriptions/endpoints";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { periodStart } from "@/lib/domain/subscriptions/periods";
import { unusedPart } from "@/lib/domain/subscriptions/proration";
import { test } from "../browser";
import { TEST_SECRET } from "../fixtures/factories";
import { expect } from "../fixtures/playwright";
import { copyFrom, has, shell } from "./reader";

if (["curl", "bash"].every(has))
  test("the guide's commands renew, fail, recover and cancel a subscription, as copied", { tag: "@prove" }, async ({
    page,
    context,
    baseUrl,
    tenant,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
    await page.goto("/docs/subscriptions");
    const makeKey = await copyFrom(page, "Create a key for subscriptions");
    const permissions = (/--permissions (\S+)/.exec(makeKey)?.[1] ?? "").split(",") as Permission[];
    const { secret } = await tenant.newKey({ permissions });
    const env: Record<string, string> = { CARDLANE_KEY: secret };
    const run = async <T>(title: string) => JSON.parse(shell(`${await copyFrom(page, title)} -s`, env)) as T;
    /** Runs the command, and stores the id in its response as the page says. */
    const store = async <T extends { id: string }>(title: string, { as, like }: { as: string; like: string }) => {
      const made = await run<T>(title);
      const [, name = "", example = ""] = /^export (\w+)=(.*)$/.exec(await copyFrom(page, as)) ?? [];
      expect([example, made.id]).toEqual([`${like}…`, expect.stringMatching(`^${like}`)]);
      env[name] = made.id;
      return made;
    };
    expect(await copyFrom(page, "Store the key")).toBe("export CARDLANE_KEY=sk_test_…");
    await store("Create a plan", { as: "Store the plan’s id", like: "plan_" });
    await store("Store the customer’s card", { as: "Store the card’s id", like: "pm_" });
    const begun = await store<Subscription>("Create a subscription", {
      as: "Store the subscription’s id",
      like: "sub_",
    });
    expect(begun).toMatchObject({ status: "TRIALING", next_invoice_amount: 1_900 });

    expect(await copyFrom(page, "Store the due time")).toMatch(/^export DUE=/);
    const [advance, wait] = [
      await copyFrom(page, "Advance to the due time"),
      await copyFrom(page, "Wait until the clock is ready"),
    ];
    const statuses: [string, string | null][] = [];
    let subscription = begun;
    for (let month = 1; month <= 3; month++) {
      env.DUE = subscription.next_invoice_at ?? "";
      shell(`${advance} -s`, env);
      expect(shell(wait, env)).toContain('"READY"');
      subscription = await run<Subscription>("Get the subscription");
      const { data } = await run<{ data: { status: string; next_attempt_at: string | null }[] }>("List the invoices");
      expect(data).toHaveLength(month);
      statuses.push([subscription.status, data[0]?.status ?? null]);
    }
    expect(statuses).toEqual([
      ["ACTIVE", "PAID"],
      ["ACTIVE", "PAID"],
      ["PAST_DUE", "OPEN"],
    ]);
    const query = { subscription_id: begun.id };
    const [open] = (await tenant.api.call(listInvoices, { query })).ok().data;
    const days =
      (Date.parse(open?.next_attempt_at ?? "") - Date.parse(subscription.period?.start_at ?? "")) / 86_400_000;
    expect([open?.attempts, Math.round(days)]).toEqual([1, 3]);

    await store("Store a card that works", { as: "Store the new card’s id", like: "pm_" });
    await run("Change the card");
    const now = async () => (await tenant.api.call(getSubscription, { id: begun.id })).ok();
    await expect.poll(async () => (await now()).status, { timeout: 10_000 }).toBe("ACTIVE");
    expect((await now()).next_invoice_at).toBe(subscription.next_invoice_at);
    const session = await run<{ amount: number; iframe_url: string }>("Create a session of the plan");
    expect(session.amount).toBe(0);
    await page.goto(session.iframe_url);
    await expect(page.getByRole("button", { name: "Start free trial" })).toBeVisible();
    await page.goto("/docs/subscriptions");
    const portal = await run<{ url: string }>("Create a portal session");
    await page.goto(portal.url);
    await expect(page.getByText("Print of the week").first()).toBeVisible();
    await page.goto(open?.hosted_url ?? "");
    await expect(page.getByText("INV-000003").first()).toBeVisible();
    await page.goto("/docs/subscriptions");
    expect(await run("Cancel at the end of the period")).toMatchObject({ cancel_at_period_end: true });
    expect(await run("Cancel now")).toMatchObject({ status: "CANCELLED", cancel_reason: "Moved abroad" });
  });

test("the file for Node subscribes a customer and renews, as copied", async ({ page, context, baseUrl, tenant }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  await page.goto("/docs/subscriptions");
  const { secret } = await tenant.newKey();
  const folder = mkdtempSync(join(tmpdir(), "cardlane-renewals-"));
  try {
    writeFileSync(join(folder, "renewals.mjs"), await copyFrom(page, "renewals.mjs"));
    const env = { CARDLANE_KEY: secret, npm_config_audit: "false", FORCE_COLOR: "0" };
    shell(`cd '${folder}' && ${await copyFrom(page, "Install the client")}`, env);
    const printed = shell(`cd '${folder}' && ${await copyFrom(page, "Run it")}`, env);
    expect(printed).toMatch(/^TRIALING until 2/);
    expect(printed).toContain("Month 1 INV-000001 PAID 1900 USD\nMonth 2 INV-000002 PAID 1900 USD\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the command that makes a key for subscriptions works as copied", { tag: "@prove" }, async ({
  page,
  context,
  baseUrl,
  tenant,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  await page.goto("/docs/subscriptions");
  const command = await copyFrom(page, "Create a key for subscriptions");
  const env = { DATABASE_URL: process.env.E2E_DATABASE_URL ?? "", CARDLANE_SECRET: TEST_SECRET };
  const printed = shell(command.replace("mer_…", encodeId("merchant", tenant.merchant.id)), env);
  const secret = /sk_test_\w+/.exec(printed)?.[0] ?? "";
  const answer = await fetch(`${baseUrl}/v1/subscriptions`, { headers: { "X-Api-Key": secret } });
  expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);
});

test("the guide's dates and its example of a change are what the engine computes", () => {
  const guide = readFileSync("components/docs/subscriptions.mdx", "utf8");
  const month = { start_at: "2027-01-01T00:00:00.000Z", end_at: "2027-02-01T00:00:00.000Z" };
  const [unused, rest] = [1_900, 4_900].map((price) => unusedPart(price, month, "2027-01-16T00:00:00.000Z"));
  const total = (rest ?? 0) - (unused ?? 0);
  for (const amount of [unused, rest, total]) expect(guide).toContain(`$${((amount ?? 0) / 100).toFixed(2)} |`);

  const dateOf = (at: string) =>
    new Date(at).toLocaleDateString("en-US", { timeZone: "UTC", month: "long", day: "numeric" });
  const periodsOf = (day: string, value: number, count: number) => {
    const calendar = { anchorAt: `${day}T09:00:00.000Z`, timeZone: "UTC", every: { value, unit: "MONTHS" as const } };
    return Array.from({ length: count }, (_, index) => dateOf(periodStart(calendar, index + 2))).join(", ");
  };
  expect(guide.replace(" (29 in a leap year)", "")).toContain(
    `| January 31, monthly | ${periodsOf("2027-01-31", 1, 4)} |`,
  );
  expect(guide).toContain(`| January 30, monthly | ${periodsOf("2027-01-30", 1, 2)} |`);
  expect(guide).toContain(`| February 29, every 12 months | ${periodsOf("2028-02-29", 12, 4)} |`);
});
