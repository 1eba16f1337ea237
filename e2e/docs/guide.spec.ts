import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pickPort } from "@/db/embedded-cluster";
import { listEvents } from "@/lib/contract/events/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { listTransactions } from "@/lib/contract/transactions/endpoints";
import { newId } from "@/lib/ids";
import { test as base } from "../browser";
import { TEST_SECRET } from "../fixtures/factories";
import { expect } from "../fixtures/playwright";
import { captured } from "../samples";
import { copyFrom, has, shell } from "./reader";

/** Permissions of the key in step 1 of the guide. */
const PERMISSIONS = [
  "payment.create",
  "payment.read",
  "transaction.capture",
  "transaction.refund",
  "event.read",
] as const;

type Running = { printed(): string };

const test = base.extend<{ folder: string; start: (command: string, env: Record<string, string>) => Running }>({
  folder: async ({ host: _ }, use) => {
    const folder = mkdtempSync(join(tmpdir(), "cardlane-guide-"));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  start: async ({ folder }, use) => {
    const children: ChildProcess[] = [];
    await use((command, env) => {
      // The project's own commands run in its folder.
      const cwd = command.startsWith("npm run") ? process.cwd() : folder;
      const child = spawn("bash", ["-c", command], { cwd, env: { ...process.env, ...env }, detached: true });
      children.push(child);
      let printed = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on("data", (piece: Buffer) => {
          printed += piece.toString();
        });
      }
      return { printed: () => printed };
    });
    for (const child of children) {
      const ended = once(child, "exit");
      // The process group: npm, the command and its children.
      if (child.exitCode === null && child.pid !== undefined && process.kill(-child.pid, "SIGKILL")) await ended;
    }
  },
});

for (const language of ["Node", "Python", "curl"] as const) {
  if (![language === "Python" ? "python3" : "curl", "bash"].every(has)) continue;
  test(`the guide works as copied, with ${language}: paid, repeated, its webhook verified, found in the log`, {
    tag: "@prove",
  }, async ({ page, context, baseUrl, tenant, newPerson, signInAs, folder, start }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
    await page.goto("/docs");
    expect(await copyFrom(page, "In Cardlane’s folder")).toContain(`--permissions ${PERMISSIONS.join(",")}`);
    expect(await copyFrom(page, "Store the key")).toBe("export CARDLANE_KEY=sk_test_…");
    const { secret } = await tenant.newKey({ permissions: PERMISSIONS });
    const env: Record<string, string> = { CARDLANE_KEY: secret, npm_config_audit: "false", FORCE_COLOR: "0" };
    const run = (command: string) => shell(`cd '${folder}' && ${command}`, env);

    // 2 and 3: the payment, sent twice.
    if (language === "Node") {
      writeFileSync(join(folder, "pay.mjs"), await copyFrom(page, "pay.mjs", language));
    } else if (language === "Python") writeFileSync(join(folder, "pay.py"), await copyFrom(page, "pay.py", language));
    run(await copyFrom(page, "Install the client", "Node"));
    const pay = await copyFrom(page, "Authorize a card", language);
    const [first, again] = [run(pay), run(pay)];
    const id = /pay_\w+/.exec(first)?.[0] ?? "";
    const requestId = /req_\w+/.exec(again)?.[0] ?? "";
    expect(first).toContain("AUTHORIZED");
    expect(first).not.toMatch(/Replayed: true/i);
    expect(again).toContain(id);
    expect(again).toMatch(/Replayed: true/i);

    // 4: the receiver behind `npm run listen`, on this test's own port.
    const port = String(await pickPort());
    const listen = await copyFrom(page, "Forward events to your machine");
    const listening = start(listen.replace("localhost:4000", `localhost:${port}`), env);
    await expect.poll(listening.printed, { timeout: 60_000 }).toContain("Ready");
    const webhookSecret = /whsec_\S+/.exec(listening.printed())?.[0] ?? "";
    writeFileSync(join(folder, "receiver.mjs"), await copyFrom(page, "receiver.mjs"));
    const startReceiver = (await copyFrom(page, "Start the receiver")).replace("whsec_…", webhookSecret);
    const receiver = start(startReceiver, { ...env, PORT: port });
    const at = `http://localhost:${port}`;
    await expect(async () => expect((await fetch(at, { method: "POST", body: "{}" })).status).toBe(400)).toPass();

    // 5 and 6: captured twice and refunded, with one event each.
    expect(await copyFrom(page, "Store the id")).toBe("export PAYMENT=pay_…");
    env.PAYMENT = id;
    const capture = await copyFrom(page, "Capture $49.99");
    expect(run(capture)).toBe(run(capture));
    run(await copyFrom(page, "Refund $15.00"));
    await expect.poll(receiver.printed, { timeout: 30_000 }).toContain("refund.succeeded");
    expect(receiver.printed().match(new RegExp(`payment.captured ${id}`, "g"))).toHaveLength(1);
    expect(listening.printed()).toMatch(/payment\.captured {2}evt_\w+ {2}→ 204/);

    // 7: the result, in the API and in the ledger.
    const found = JSON.parse(run(await copyFrom(page, "Get the payment with its charge and refunds"))) as Payment;
    expect(found).toMatchObject({ id, status: "PARTIALLY_REFUNDED", amount_captured: 4_999, amount_refunded: 1_500 });
    const { data } = (await tenant.api.call(listTransactions)).ok();
    expect(data.map(({ type, amount }) => [type, amount])).toEqual([
      ["REFUND", 1_500],
      ["CHARGE", 4_999],
    ]);
    const { data: events } = (await tenant.api.call(listEvents)).ok();
    expect(events.filter(({ type }) => /^(payment|refund)\./.test(type))).toHaveLength(4);

    // The log: the repeated request, and the refund resent from there.
    await signInAs(context, await newPerson());
    await expect(async () => {
      await page.goto(`/test/developers/requests/${requestId}`);
      await expect(page.getByText("POST /v1/payments").first()).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 20_000 });
    // Requests reach the log a little later than their responses reach the caller.
    await expect(async () => {
      await page.goto("/test/developers/requests?q=order-1001-refund-1");
      const refund = page.getByRole("link", { name: /POST \/v1\/payments\/.*\/refund/ });
      await refund.first().click({ timeout: 2_000 });
    }).toPass({ timeout: 20_000 });
    await page.getByRole("button", { name: "Send again" }).click();
    await expect(page.getByText("Nothing ran twice: same response, replayed")).toBeVisible();
    expect((await tenant.api.call(listTransactions)).ok().total).toBe(2);
  });
}

test("the next page of a list matches the guide", async ({ page, context, baseUrl, tenant }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  await captured(tenant.api);
  const last = await captured(tenant.api);
  await page.goto("/docs");
  const command = await copyFrom(page, "The next page");
  const { secret } = await tenant.newKey();
  const after = last.transactions[0]?.id ?? "";
  const answer = shell(command.replace("txn_…", after), { CARDLANE_KEY: secret });
  const { data } = JSON.parse(answer) as { data: { id: string }[] };
  expect(data).toHaveLength(1);
  expect(data[0]?.id).not.toBe(after);
});

test("the commands that create a merchant and its keys work as copied", { tag: "@prove" }, async ({
  page,
  context,
  baseUrl,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  const env = { DATABASE_URL: process.env.E2E_DATABASE_URL ?? "", CARDLANE_SECRET: TEST_SECRET };
  await page.goto("/docs");
  const [makeMerchant = "", ...makeKey] = (await copyFrom(page, "In Cardlane’s folder")).split("\n");
  const printed = shell(makeMerchant.replace("you@example.com", `${newId()}@shop.example`), env);
  const merchant = /mer_\w+/.exec(printed)?.[0] ?? "";
  await page.goto("/docs/quickstart");
  const commands = [makeKey.join("\n"), await copyFrom(page, "Create a key")];
  for (const command of commands) {
    const secret = /sk_test_\w+/.exec(shell(command.replace("mer_…", merchant), env))?.[0] ?? "";
    const answer = await fetch(`${baseUrl}/v1/payments`, { headers: { "X-Api-Key": secret } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);
  }
});
