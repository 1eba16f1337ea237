import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, FrameLocator, Page } from "playwright/test";
import type { Database } from "@/db/client";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import { pageHeaders } from "@/lib/http/security-headers";
import type { CardlaneMountOptions } from "@/public/sdk/v1";
import { test as base } from "../browser";
import { expect } from "../fixtures/playwright";
import { CARDS, newSession } from "../samples";

/** A merchant's own web site, on another host and therefore another site than Cardlane's. */
type MerchantSite = {
  readonly origin: string;
  /** Serves this HTML at `path` (default `/`). Returns the page's address. */
  serve(html: string, options?: { path?: string; headers?: Record<string, string> }): string;
};

type Callback = Extract<keyof CardlaneMountOptions, `on${string}`>;
/** A callback of the merchant's page, with its payload. */
type Told = { callback: Callback; payload: unknown };

type Session = Awaited<ReturnType<typeof newSession>>;
type SessionOptions = Omit<Partial<CardlaneMountOptions>, Callback>;

export type Checkout = {
  readonly session: Session;
  readonly token: string;
  /** The payment form inside the merchant's page. */
  readonly form: FrameLocator;
  /** All callbacks, in order. */
  told(): Promise<Told[]>;
  /** Payloads of one kind of callback. */
  told(callback: Callback): Promise<unknown[]>;
  submit(): Promise<void>;
  update(options: Pick<SessionOptions, "appearance" | "locale" | "button">): Promise<void>;
  unmount(): Promise<void>;
};

type Fixtures = {
  merchantSite: MerchantSite;
  /** Creates a session that the merchant's site may embed; its token is not null. */
  newCheckoutSession: (overrides?: object) => Promise<Session & { client_session_token: string }>;
  /** Creates a session (unless one is given) and opens a merchant's page that mounts its payment form. */
  openCheckout: (page: Page, options?: SessionOptions, session?: object | Session) => Promise<Checkout>;
};

const CALLBACKS: Callback[] = ["onReady", "onChange", "onActionRequired", "onSuccess", "onError", "onExpired"];

/**
 * Tests with a merchant's site around the payment form. The window starts tall: after a test enlarges it,
 * Chromium drops clicks on cross-site frames below the old height if another page (such as axe's) has been
 * open.
 */
export const test = base.extend<Fixtures>({
  viewport: { width: 1440, height: 1000 },
  merchantSite: async ({ baseUrl }, use) => {
    const pages = new Map<string, { html: string; headers: Record<string, string> }>();
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://merchant.test");
      // Browsers request an icon by themselves, and report a missing one.
      if (pathname === "/favicon.ico") return void response.writeHead(204).end();
      const page = pages.get(pathname);
      response.writeHead(page ? 200 : 404, { "content-type": "text/html; charset=utf-8", ...page?.headers });
      response.end(page?.html ?? "Nothing here.");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const origin = `http://${otherHost(baseUrl)}:${port}`;
    await use({
      origin,
      serve(html, { path = "/", headers = {} } = {}) {
        pages.set(path, { html, headers });
        return origin + path;
      },
    });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
  newCheckoutSession: async ({ api, merchantSite }, use) => {
    await use(async (overrides = {}) => {
      const session = await newSession(api, { allowed_origins: [merchantSite.origin], ...overrides });
      return { ...session, client_session_token: session.client_session_token as string };
    });
  },
  openCheckout: async ({ baseUrl, merchantSite, newCheckoutSession }, use) => {
    await use(async (page, options = {}, given = {}) => {
      const session = "id" in given ? (given as Session) : await newCheckoutSession(given);
      const token = session.client_session_token as string;
      // A separate address per session, so that a test can have several open.
      const path = `/${session.id}`;
      await page.goto(merchantSite.serve(merchantPage(baseUrl, { token, ...options }), { path }));
      return checkoutIn(page, session);
    });
  },
});

/** `127.0.0.1` and `localhost` are one machine and two sites. */
const otherHost = (baseUrl: string) => (new URL(baseUrl).hostname === "localhost" ? "127.0.0.1" : "localhost");

/** A page that mounts the form in `#payment`, keeps the frame in `frame` and its callbacks in `told`. */
export const merchantPage = (baseUrl: string, options: object) =>
  merchantHtml(
    baseUrl,
    `window.told = [];
     const callbacks = Object.fromEntries(${JSON.stringify(CALLBACKS)}.map((callback) => [
       callback,
       (payload) => told.push({ callback, payload: payload ?? null }),
     ]));
     window.frame = Cardlane.mount("#payment", { ...${inScript(options)}, ...callbacks });`,
  );

/** A page with our script loaded and an empty `#payment`, followed by `script`. */
export const merchantHtml = (baseUrl: string, script = "") => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>The merchant's shop</title>
  </head>
  <body>
    <main>
      <h1>The merchant's shop</h1>
      <div id="payment"></div>
    </main>
    <script src="${baseUrl}/sdk/v1.js"></script>
    <script>${script}</script>
  </body>
</html>`;

const inScript = (value: unknown) => JSON.stringify(value).replaceAll("<", "\\u003c");

type MerchantWindow = { told: Told[]; frame: ReturnType<Window["Cardlane"]["mount"]> };

function checkoutIn(page: Page, session: Session): Checkout {
  async function told(): Promise<Told[]>;
  async function told(callback: Callback): Promise<unknown[]>;
  async function told(callback?: Callback) {
    const all = await page.evaluate(() => (window as unknown as MerchantWindow).told);
    return callback ? all.filter((one) => one.callback === callback).map(({ payload }) => payload) : all;
  }
  return {
    session,
    token: session.client_session_token as string,
    // Only a revealed frame: before that it has no height of its own, and a click would miss the moving
    // target.
    form: page.frameLocator("#payment iframe:not([aria-busy])"),
    told,
    submit: () => page.evaluate(() => (window as unknown as MerchantWindow).frame.submit()),
    update: (options) =>
      page.evaluate((changes) => (window as unknown as MerchantWindow).frame.update(changes), options),
    unmount: () => page.evaluate(() => (window as unknown as MerchantWindow).frame.unmount()),
  };
}

/** The form's English texts. */
export const TEXTS = textsOf("en");

/** The form on its own page, or inside another. */
export type Form = Pick<Page | FrameLocator, "locator" | "getByRole" | "getByText">;

export type TypedCard = { email?: string; expiry?: string; cvv?: string; name?: string; postalCode?: string };

/** Fills the fields that are present, like a browser's autofill. */
export async function fillCard(form: Form, number: string = CARDS.approved, typed: TypedCard = {}): Promise<void> {
  const {
    email = "jane@customers.example",
    expiry = "12/39",
    cvv = /^3[47]/.test(number) ? "1234" : "123",
    name = "Jane Doe",
    postalCode = "94110",
  } = typed;
  if ((await form.locator("#email").count()) > 0) await form.locator("#email").fill(email);
  await form.locator("#number").fill(number);
  await form.locator("#expiry").fill(expiry);
  await form.locator("#cvv").fill(cvv);
  if ((await form.locator("#name").count()) > 0) await form.locator("#name").fill(name);
  if ((await form.locator("#postal_code").count()) > 0) await form.locator("#postal_code").fill(postalCode);
}

export const payButton = (form: Form) => form.locator("button[type=submit].pay");

/** Fills in the card and pays. */
export async function pay(form: Form, number?: string, typed?: TypedCard): Promise<void> {
  await fillCard(form, number, typed);
  // The sentence to which shoppers agree before their card is stored.
  if ((await form.locator("#consent").count()) > 0) await form.locator("#consent").check();
  await payButton(form).click();
}

/** Keeps the environment's pending payment in progress during `work`: its outcome waits for the row's lock. */
export const whilePending = (db: Database, environmentId: string, work: () => Promise<void>): Promise<void> =>
  db.sql.begin(async (sql) => {
    // On a busy machine the work can take longer than a transaction may idle.
    await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`;
    const pending = await sql`
      select from payments where environment_id = ${environmentId} and status = 'PENDING' for no key update`;
    expect(pending).toHaveLength(1);
    await work();
  });

/** Expects the heading of the form's current step. */
export const expectStep = (form: Form, title: string) =>
  expect(form.locator("h2#step")).toHaveText(title, { timeout: 60_000 });
export const expectPaid = (form: Form) => expectStep(form, TEXTS.done.title);

/** The card issuer's page, within the form. */
export const issuerIn = (form: Form) => form.locator("iframe").contentFrame();

export const TOKEN = `cst_${"a".repeat(43)}`;

/** Stand-ins for the form: the scripted one announces itself, records messages, and sends the test's own. */
export const SILENT_FORM = "<!doctype html><title>Form</title><p>The form</p>";
export const SCRIPTED_FORM = `${SILENT_FORM}<script>
  const origin = new URLSearchParams(location.search).get("origin");
  window.heard = [];
  window.say = (message, target = origin) => parent.postMessage({ source: "cardlane", ...message }, target);
  addEventListener("message", ({ data, origin }) => heard.push({ ...data, origin }));
  say({ type: "hello" });
</script>`;

type FormWindow = { heard: Record<string, unknown>[]; say(message: object, target?: string): void };

/** Replaces the form's page: our pages' headers, with a policy for the stand-in's script and any embedder. */
export async function replaceForm(page: Page, baseUrl: string, html: string): Promise<void> {
  const nonce = "a".repeat(24);
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; object-src 'none'; base-uri 'none'`;
  const headers = { ...pageHeaders(), "content-security-policy": policy };
  const body = html.replaceAll("<script>", `<script nonce="${nonce}">`);
  await page.route(`${baseUrl}/pay/**`, (route) => route.fulfill({ headers, contentType: "text/html", body }));
}

/** A merchant's page whose payment form is controlled by the test. */
export async function withScriptedForm(page: Page, baseUrl: string) {
  await replaceForm(page, baseUrl, SCRIPTED_FORM);
  const form = async (): Promise<Frame> => {
    const element = await page.locator("#payment iframe").elementHandle();
    return (await element?.contentFrame()) as Frame;
  };
  return {
    say: async (message: object) =>
      (await form()).evaluate((said) => (window as unknown as FormWindow).say(said), message),
    heard: async () => (await form()).evaluate(() => (window as unknown as FormWindow).heard),
    address: async () => new URL((await form()).url()),
  };
}

export const consoleOf = (page: Page, type: string) => {
  const said: string[] = [];
  page.on("console", (message) => message.type() === type && said.push(message.text()));
  return said;
};
