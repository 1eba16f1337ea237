import { build } from "esbuild";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { getClientSession } from "@/lib/contract/checkout/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { fillCard, pay, payButton, test } from "../checkout/fixtures";
import { expect } from "../fixtures/playwright";
import { copyFrom, has, shell } from "./reader";

test.beforeEach(async ({ context, baseUrl, page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  await page.goto("/docs/checkout");
});

test("script, mount and update work as copied, and under the policy that the page gives", async ({
  page,
  merchantSite,
  newCheckoutSession,
}) => {
  const script = await copyFrom(page, "In your page");
  const mount = await copyFrom(page, "Cardlane.mount(element, options)");
  const change = await copyFrom(page, "Change it while it is shown");
  const policy = await copyFrom(page, "Content-Security-Policy");
  const { client_session_token: token } = await newCheckoutSession({ return_url: `${merchantSite.origin}/paid` });
  merchantSite.serve("Thank you", { path: "/paid" });
  const html = `${script}<div id="card-form"></div><button id="change">Change</button><script nonce="ours">
    const token = ${JSON.stringify(token)};
    ${mount}
    document.getElementById("change").onclick = () => { ${change} };
  </script>`;
  const headers = {
    "content-security-policy": `default-src 'none'; ${policy.replace("script-src", "script-src 'nonce-ours'")}`,
  };
  await page.goto(merchantSite.serve(html, { headers }));
  const form = page.frameLocator("#card-form iframe");
  await fillCard(form);
  await expect(payButton(form)).not.toContainText("zahlen");
  await page.getByRole("button", { name: "Change" }).click();
  await expect(payButton(form)).toContainText("zahlen");
  await payButton(form).click();
  await page.waitForURL(/\/paid\?/);
});

test("the page's own button pays as copied", async ({ page, merchantSite, newCheckoutSession }) => {
  const button = await copyFrom(page, "Your own button");
  const script = await copyFrom(page, "In your page");
  const { client_session_token: token } = await newCheckoutSession({ return_url: `${merchantSite.origin}/paid` });
  merchantSite.serve("Thank you", { path: "/paid" });
  await page.goto(merchantSite.serve(`${script}<script>const token = ${JSON.stringify(token)};</script>${button}`));
  await fillCard(page.frameLocator("#card-form iframe"));
  await page.getByRole("button", { name: "Place the order" }).click();
  await page.waitForURL(/\/paid\?/);
});

test("the React component pays in strict mode, as copied", async ({ page, merchantSite, newCheckoutSession }) => {
  const component = await copyFrom(page, "Five lines");
  const script = await copyFrom(page, "In your page");
  const { client_session_token: token } = await newCheckoutSession();
  const source = `import { StrictMode, useEffect, useRef } from "react";
    import { createRoot } from "react-dom/client";
    ${component}
    createRoot(document.getElementById("card-form")).render(<StrictMode><CardForm token=${JSON.stringify(token)} /></StrictMode>);`;
  const { outputFiles } = await build({
    stdin: { contents: source, loader: "tsx", resolveDir: process.cwd() },
    bundle: true,
    write: false,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"development"' },
  });
  merchantSite.serve("Thank you", { path: "/result" });
  const bundle = (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  await page.goto(merchantSite.serve(`${script}<div id="card-form"></div><script>${bundle}</script>`));
  await pay(page.frameLocator("#card-form iframe"));
  await page.waitForURL(/\/result$/);
});

if (has("curl") && has("bash")) {
  test("a setup session works as copied", async ({ page, tenant }) => {
    const command = await copyFrom(page, "Your server opens a setup session");
    const { secret } = await tenant.newKey({ permissions: ["client_session.create"] });
    const session = JSON.parse(shell(`${command} -s`, { CARDLANE_KEY: secret })) as ClientSession;
    expect(session).toMatchObject({ mode: "setup", amount: null, customer_id: "cus_1042" });
    await page.goto(session.iframe_url ?? "");
    await fillCard(page);
    await page.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Save card" }).click();
    const read = () => tenant.api.call(getClientSession, { id: session.id });
    await expect.poll(async () => (await read()).ok().status).toBe("COMPLETED");
    expect((await read()).ok().payment_method_id).toMatch(/^pm_/);
  });

  test("the server’s payment with a token works as copied", async ({
    page,
    merchantSite,
    openCheckout,
    newCheckoutSession,
    tenant,
  }) => {
    const command = await copyFrom(page, "Your server pays with the token");
    const session = await newCheckoutSession({
      amount: 1_999,
      currency: "USD",
      return_url: `${merchantSite.origin}/r`,
    });
    const checkout = await openCheckout(page, { mode: "tokenize" }, session);
    await pay(checkout.form);
    await expect.poll(() => checkout.told("onSuccess")).toHaveLength(1);
    const [told] = (await checkout.told("onSuccess")) as { paymentToken: string }[];
    const { secret } = await tenant.newKey({ permissions: ["payment.create"] });
    const paid = shell(command.replace("tok_…", told?.paymentToken ?? ""), { CARDLANE_KEY: secret });
    expect(JSON.parse(paid) as Payment).toMatchObject({ status: "CAPTURED", amount: 1_999, currency: "USD" });
  });
}
