import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright/test";
import { pickPort } from "@/db/embedded-cluster";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { listPayments } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { test as base } from "../browser";
import type { TestKey } from "../fixtures/playwright";
import { expect } from "../fixtures/playwright";
import { copyFrom, has, shell } from "./reader";

type Reader = {
  /** Clicks Copy next to the code with this title, in this language, and returns the clipboard. */
  copy(title: string, language?: "curl" | "Node" | "Python"): Promise<string>;
  /** A key with exactly the permissions that the quickstart lists. */
  key: TestKey;
};

const KEY_LINE = /^export CARDLANE_KEY=sk_test_…$/;

const test = base.extend<{
  reader: Reader;
  startShop: (command: string, files: Record<string, string>) => Promise<string>;
}>({
  reader: async ({ page, context, baseUrl, tenant }, use) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
    await page.goto(`${baseUrl}/docs/quickstart`);
    const key = await tenant.newKey({ permissions: ["client_session.create", "payment.read"] });
    await use({ key, copy: (title, language) => copyFrom(page, title, language) });
  },
  startShop: async ({ reader }, use) => {
    const folder = mkdtempSync(join(tmpdir(), "cardlane-quickstart-"));
    const children: ChildProcess[] = [];
    await use(async (command, files) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const port = await pickPort();
      const child = spawn("bash", ["-c", command], {
        cwd: folder,
        env: { ...process.env, npm_config_audit: "false", CARDLANE_KEY: reader.key.secret, PORT: String(port) },
      });
      children.push(child);
      return printedAddress(child);
    });
    for (const child of children) {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill()) await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  },
});

/** The address that the shop prints once it accepts requests. */
function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (chunk: Buffer) => {
      said += chunk.toString("utf8");
      const address = /Your shop: (\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("exit", (code) => reject(new Error(`the shop ended with ${code}: ${said}`)));
  });
}

/** Pays in the open shop, with the values that the page shows. */
async function pay(page: Page, number: string): Promise<void> {
  const form = page.frameLocator("#card-form iframe");
  await form.getByLabel("Card number").fill(number);
  await form.getByLabel("Expiry date").fill("1234");
  await form.getByLabel("Security code", { exact: true }).fill("123");
  for (const [label, text] of [
    ["Name on card", "Ada Moreno"],
    ["Postal code", "62701"],
  ] as const) {
    const field = form.getByLabel(label);
    if ((await field.count()) > 0) await field.fill(text);
  }
  await form.getByRole("button", { name: /^Pay / }).click();
}

const SERVERS = [
  { language: "Node", file: "server.mjs", program: process.execPath },
  { language: "Python", file: "server.py", program: "python3" },
] as const;

for (const { language, file, program } of SERVERS) {
  if (!has(program) || !has("bash")) continue;
  const tag = language === "Node" ? [] : "@prove";
  test(`the ${language} shop works as copied: paid, declined, reloaded, and a forged result`, { tag }, async ({
    page,
    reader,
    startShop,
    tenant,
  }) => {
    expect(await reader.copy("Store the key")).toMatch(KEY_LINE);
    const files = {
      [file]: await reader.copy(file, language),
      "checkout.html": await reader.copy("checkout.html"),
    };
    const start = await reader.copy("Start the shop", language);
    const command =
      language === "Node" ? `${await reader.copy("Install the client", "Node")} && exec ${start}` : `exec ${start}`;
    const url = await startShop(command, files);

    await page.goto(url);
    await pay(page, "4000000000009995");
    await expect(page.frameLocator("#card-form iframe").getByText("The card has insufficient funds")).toBeVisible();
    // The same order after a reload: no second session.
    await page.reload();
    await pay(page, "4242424242424242");
    await page.waitForURL(/\/result\?/);
    await expect(page.locator("body")).toHaveText("Paid: 1999 USD");
    const { data } = (await tenant.api.call(listPayments)).ok();
    expect(data.map(({ status }) => status)).toEqual(["CAPTURED", "DECLINED"]);
    expect(new Set(data.map(({ client_session_id }) => client_session_id)).size).toBe(1);

    // The next order needs a challenge first; until it is paid, a claim that it is must be rejected.
    await page.goto(url);
    const form = page.frameLocator("#card-form iframe");
    await pay(page, "4000000000003220");
    await form.frameLocator("iframe").getByRole("button", { name: "Approve the payment" }).click();
    await page.waitForURL(/\/result\?/);
    await expect(page.locator("body")).toHaveText("Paid: 1999 USD");
    await page.goto(`${url}/result?client_session_id=cs_01h455vb4pex5vsknk084sn02q&status=CAPTURED`);
    await expect(page.locator("body")).not.toContainText("Paid");
  });
}

if (has("curl") && has("bash")) {
  test("the curl commands work as copied, from the session to the payment", async ({ page, reader }) => {
    const env: Record<string, string> = { CARDLANE_KEY: reader.key.secret };
    const session = JSON.parse(shell(await reader.copy("Create a session", "curl"), env)) as ClientSession;
    expect(session).toMatchObject({ object: "client_session", status: "OPEN", amount: 1_999 });
    expect(await reader.copy("Keep the session’s id", "curl")).toBe("export SESSION=cs_…");
    expect(await reader.copy("Keep the payment’s id", "curl")).toBe("export PAYMENT=pay_…");
    const getSession = await reader.copy("Get the session", "curl");
    const getPayment = await reader.copy("Get the payment", "curl");
    env.SESSION = session.id;
    expect(JSON.parse(shell(getSession, env))).toMatchObject({ id: session.id, status: "OPEN", payment_id: null });

    // The payment page that comes with a session.
    await page.goto(session.iframe_url ?? "");
    await page.getByLabel("Card number").fill("4242424242424242");
    await page.getByLabel("Expiry date").fill("1234");
    await page.getByLabel("Security code", { exact: true }).fill("123");
    if ((await page.getByLabel("Name on card").count()) > 0) await page.getByLabel("Name on card").fill("Ada Moreno");
    if ((await page.getByLabel("Postal code").count()) > 0) await page.getByLabel("Postal code").fill("62701");
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByRole("heading", { name: "Payment approved" })).toBeVisible();

    const paid = JSON.parse(shell(getSession, env)) as ClientSession;
    expect(paid.status).toBe("COMPLETED");
    env.PAYMENT = paid.payment_id ?? "";
    expect(JSON.parse(shell(getPayment, env)) as Payment).toMatchObject({ status: "CAPTURED", amount: 1_999 });
  });
}

test("all tabs follow the language that was chosen, by mouse and by keyboard, and keep it", async ({
  page,
  baseUrl,
}) => {
  await page.goto(`${baseUrl}/docs/quickstart`);
  const chosen = page.getByRole("tab", { selected: true });
  await expect(chosen).toHaveText(["Node", "Node", "Node"]);
  await page.getByRole("tab", { name: "Node" }).first().press("ArrowRight");
  await expect(chosen).toHaveText(["Python", "Python", "Python"]);
  await expect(page.getByRole("region", { name: "server.py", exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "server.mjs", exact: true })).toBeHidden();
  await page.reload();
  await expect(chosen).toHaveText(["Python", "Python", "Python"]);
});

test("the guide has every section that the browser script's messages refer to", async ({ page, baseUrl }) => {
  await page.goto(`${baseUrl}/docs/checkout`);
  const script = await (await page.request.get(`${baseUrl}/sdk/v1.js`)).text();
  expect(script).toContain("/docs/checkout#");
  for (const topic of ["script", "mount", "token", "options", "appearance", "languages", "origins", "your-button"]) {
    await expect(page.locator(`#${topic}`), topic).toHaveCount(1);
  }
});

test("step 5 repeats the files of step 2 unchanged", async ({ reader }) => {
  expect(await reader.copy("server.mjs", "Node")).toContain(await reader.copy("In server.mjs", "Node"));
  expect(await reader.copy("server.py", "Python")).toContain(await reader.copy("In server.py", "Python"));
});
