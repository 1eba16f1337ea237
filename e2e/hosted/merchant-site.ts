import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FrameLocator, Page } from "@playwright/test";
import type { CardlaneMountOptions } from "@/public/sdk/v1";
import { test } from "../browser";
import { newSession } from "../samples";

/** A merchant's own web site, on another host and so another site than Cardlane's. */
export type MerchantSite = {
  readonly origin: string;
  /** Serves this HTML from now on, at `path` (default `/`). Returns the page's address. */
  serve(html: string, options?: { path?: string; headers?: Record<string, string> }): string;
};

type Callback = Extract<keyof CardlaneMountOptions, `on${string}`>;
/** What the form told the merchant's page, in order. */
export type Told = { callback: Callback; payload: unknown };

type Session = Awaited<ReturnType<typeof newSession>>;
type SessionOptions = Omit<Partial<CardlaneMountOptions>, Callback>;

export type Checkout = {
  readonly session: Session;
  readonly token: string;
  /** The payment form inside the merchant's page. */
  readonly form: FrameLocator;
  /** Every callback so far. */
  told(): Promise<Told[]>;
  /** Those of one kind. */
  told(callback: Callback): Promise<unknown[]>;
  submit(): Promise<void>;
  update(options: Pick<SessionOptions, "appearance" | "locale" | "button">): Promise<void>;
  unmount(): Promise<void>;
};

type Fixtures = {
  merchantSite: MerchantSite;
  /** A session that the merchant's site may embed; its token is not null. */
  newCheckoutSession: (overrides?: object) => Promise<Session & { client_session_token: string }>;
  /** Creates a session (unless one is given) and opens a page of the merchant that mounts its payment form. */
  openCheckout: (page: Page, options?: SessionOptions, session?: object | Session) => Promise<Checkout>;
};

const CALLBACKS: Callback[] = ["onReady", "onChange", "onActionRequired", "onSuccess", "onError", "onExpired"];

/** Tests with a merchant's site around the payment form. */
export const checkoutTest = test.extend<Fixtures>({
  merchantSite: async ({ baseUrl }, use) => {
    const pages = new Map<string, { html: string; headers: Record<string, string> }>();
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://merchant.test");
      // Browsers ask for one by themselves, and report when there is none.
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
      // An address for each, so that a test can have several open.
      const path = `/${session.id}`;
      await page.goto(merchantSite.serve(merchantPage(baseUrl, { token, ...options }), { path }));
      return checkoutIn(page, session);
    });
  },
});

/** `127.0.0.1` and `localhost` are one machine and two sites. */
const otherHost = (baseUrl: string) => (new URL(baseUrl).hostname === "localhost" ? "127.0.0.1" : "localhost");

/** A page that mounts the form in `#payment`, keeps the frame in `frame` and what it is told in `told`. */
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

/** A page with the script loaded and an empty `#payment`, and then this. */
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
    // Once it is seen: before that it has no height of its own, and a click would miss what moves.
    form: page.frameLocator("#payment iframe:not([aria-busy])"),
    told,
    submit: () => page.evaluate(() => (window as unknown as MerchantWindow).frame.submit()),
    update: (options) =>
      page.evaluate((changes) => (window as unknown as MerchantWindow).frame.update(changes), options),
    unmount: () => page.evaluate(() => (window as unknown as MerchantWindow).frame.unmount()),
  };
}
