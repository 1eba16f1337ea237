import { randomUUID } from "node:crypto";
import { holdsCardNumber } from "@/lib/contract/card-numbers";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import type { Spelled } from "./canaries";
import type { Push } from "./card-data-paths";
import {
  ANSWERED,
  cardOf,
  type Doors,
  FORM_TYPE,
  inUrl,
  JSON_TYPE,
  type Place,
  SAME_ORIGIN,
  takesHeader,
  takesUrl,
} from "./card-data-places";

const isPlain = (text: string) => /^\d{12,19}$/.test(text);
const payment = (sent: Spelled, over: object = {}) => ({ amount: 1_299, currency: "USD", card: cardOf(sent), ...over });

/** Takes a payment, then reuses its key for a different request, whose description is stored with the key. */
async function reused(doors: Doors, over: Omit<Push, "expected">): Promise<Push> {
  const headers = { "X-Api-Key": doors.apiKey, "X-Idempotency-Key": randomUUID() };
  const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "737" };
  const first = await fetch(`${doors.baseUrl}/v1/payments`, {
    method: "POST",
    headers: { ...headers, ...JSON_TYPE },
    body: JSON.stringify({ amount: 1_299, currency: "USD", card }),
  });
  await first.arrayBuffer();
  return { ...over, headers, expected: [404, 409] };
}

/** Identifiers chosen by a merchant's server or a user. */
function identifierPlaces(): Place[] {
  const own = (name: string, over: (sent: Spelled) => object, takes: Place["takes"] = () => true): Place => ({
    name: `createPayment, ${name}`,
    takes,
    refuses: true,
    push: (sent) => ({ path: "/v1/payments", body: payment(sent, over(sent)), expected: 400 }),
  });
  return [
    own(
      "a key of metadata",
      ({ text }) => ({ metadata: { [text]: "x" } }),
      (text) => text.length <= 40,
    ),
    own("a number in metadata", ({ number }) => ({ metadata: { order: Number(number) } })),
    own(
      "a query in its return URL",
      ({ text }) => ({ return_url: `https://shop.example/?o=${inUrl(text)}` }),
      takesUrl,
    ),
    {
      name: "createPayment, the idempotency key",
      takes: (text) => takesHeader(text) && text.length <= 255,
      refuses: true,
      push: (sent) => ({
        path: "/v1/payments",
        headers: { "X-Idempotency-Key": sent.text },
        body: payment(sent),
        expected: 400,
      }),
    },
    {
      name: "a token, in a request that is refused for good",
      // The beginning of a token is kept, which would be most of a plain number.
      takes: isPlain,
      push: ({ text }) => ({
        path: "/v1/payments",
        body: { amount: 1_299, currency: "XTS", payment_token: text },
        expected: 422,
      }),
    },
    {
      name: "a token under a key that was used",
      takes: isPlain,
      push: ({ text }, doors) =>
        reused(doors, { path: "/v1/payments", body: { amount: 1_299, currency: "XTS", payment_token: text } }),
    },
    {
      name: "a path under a key that was used",
      takes: takesUrl,
      push: ({ text }, doors) => reused(doors, { path: `/v1/payments/${inUrl(text)}/refund`, body: {} }),
    },
    {
      name: "connectProcessor, the secret key",
      refuses: true,
      push: async ({ text }, doors) => ({
        path: "/api/dashboard/test/processors",
        headers: { ...SAME_ORIGIN, Cookie: (await doors.owner()).cookie },
        body: { processor: "stripe", label: "Shop", credentials: { secret_key: text } },
        expected: 400,
      }),
    },
    {
      name: "updateCheckoutAppearance, the font",
      takes: holdsCardNumber,
      refuses: true,
      push: async ({ text }, doors) => ({
        path: "/api/dashboard/test/checkout/appearance",
        method: "PATCH",
        headers: { ...SAME_ORIGIN, Cookie: (await doors.owner()).cookie },
        body: { appearance: { theme: "system", font_family: text } },
        expected: 400,
      }),
    },
    {
      name: "createClientSession, an origin",
      refuses: true,
      // A host name has no groups, without which numbers of 19 digits are not taken for cards.
      push: ({ number }) => ({
        path: "/v1/client-sessions",
        body: {
          amount: 1,
          currency: "USD",
          allowed_origins: [`https://${holdsCardNumber(number) ? number : "4242424242424242"}.example`],
        },
        expected: 400,
      }),
    },
  ];
}

/** Requests of users, their browsers and our own staff. */
function peoplesPlaces(): Place[] {
  const signIn = (name: string, over: (text: string) => object, audience: "auth" | "support-auth" = "auth"): Place => ({
    name: `sign-in (${audience}), ${name}`,
    push: async ({ text }, doors) => {
      const { cookie, csrfToken } = await doors.visitor(audience);
      const fields = {
        csrfToken,
        json: "true",
        email: `${randomUUID()}@shop.example`,
        password: "none",
        ...over(text),
      };
      return {
        path: `/api/${audience}/callback/credentials`,
        headers: { ...SAME_ORIGIN, ...FORM_TYPE, Cookie: cookie },
        raw: new URLSearchParams(fields).toString(),
        expected: ANSWERED,
      };
    },
  });
  const demo = (path: string, over: (text: string) => object, takes: Place["takes"] = () => true): Place => ({
    name: `the sample shop, ${path} with ${Object.keys(over("")).join(", ")}`,
    takes,
    push: ({ text }, { baseUrl }) => ({
      path: `/demo/checkout/${path}`,
      headers: { ...SAME_ORIGIN, Origin: baseUrl },
      body: { print: "harbour", quantity: 1, currency: "USD", order: randomUUID().replaceAll("-", ""), ...over(text) },
      expected: [200, 400],
    }),
  });
  const asStaff = (name: string, headers: (text: string, environment: string) => Record<string, string>): Place => ({
    name: `support, ${name}`,
    takes: takesUrl,
    push: async ({ text }, doors) => ({
      path: `/v1/payments/${encodeId("payment", newId())}/refund`,
      headers: {
        ...SAME_ORIGIN,
        "X-Api-Key": "",
        Cookie: (await doors.staff()).cookie,
        ...headers(inUrl(text), doors.merchant.environment),
      },
      body: {},
      expected: [400, 404],
    }),
  });
  return [
    ...["email", "password", "code", "ticket", "csrfToken", "callbackUrl"].flatMap((name) =>
      (["auth", "support-auth"] as const).map((audience) => signIn(name, (text) => ({ [name]: text }), audience)),
    ),
    ...["order", "print", "mode"].map((name) => demo("session", (text) => ({ [name]: text }))),
    demo(
      "session",
      (order) => ({ order }),
      (text) => /^[a-z0-9]{12,40}$/.test(text),
    ),
    ...["payment_token", "client_session_id"].map((name) =>
      demo("payment", (text) => ({ payment_token: "tok_x", client_session_id: "cs_x", [name]: text })),
    ),
    asStaff("a reason", (text, environment) => ({ "X-Cardlane-Environment": environment, "X-Cardlane-Reason": text })),
    asStaff("an environment", (text) => ({ "X-Cardlane-Environment": text, "X-Cardlane-Reason": "Asked to" })),
    {
      name: "support, a look-up of a key",
      takes: (text) => takesUrl(text) && text.length <= 255,
      push: async ({ text }, doors) => ({
        path: `/api/support/environments/${doors.merchant.environment}/idempotency-key?key=${inUrl(text)}`,
        method: "GET",
        headers: { Cookie: (await doors.staff()).cookie },
        expected: 404,
      }),
    },
    {
      name: "the dashboard, the mode of a call to the API",
      takes: takesHeader,
      push: async ({ text }, doors) => ({
        path: "/v1/subscription-plans",
        headers: {
          ...SAME_ORIGIN,
          "X-Api-Key": "",
          "X-Cardlane-Mode": text,
          Cookie: (await doors.owner()).cookie,
        },
        body: {},
        expected: 404,
      }),
    },
    {
      name: "the dashboard, a plan's name",
      takes: (text) => text.length <= 50 && holdsCardNumber(text),
      refuses: true,
      push: async ({ text }, doors) => ({
        path: "/v1/subscription-plans",
        headers: { ...SAME_ORIGIN, "X-Api-Key": "", "X-Cardlane-Mode": "test", Cookie: (await doors.owner()).cookie },
        body: { type: "ONE_TIME", name: text, currency: "USD", full_price_amount: 1 },
        expected: 400,
      }),
    },
  ];
}

const PAGES = {
  nobody: [
    ...["/TEXT", "/sign-in?next=/TEXT", "/sign-in?error=TEXT", "/sign-in?TEXT=1", "/docs/TEXT", "/docs/errors/TEXT"],
    ...[
      "/reset-password/TEXT",
      "/invitation/TEXT",
      "/verify-email/TEXT",
      "/stop-report-mails/TEXT",
      "/demo/TEXT",
      "/demo/checkout?order=TEXT",
      "/outbox?q=TEXT",
    ],
    ...["/demo/result?client_session_id=TEXT&payment_id=TEXT", "/outbox/open?key=TEXT", "/_next/data/TEXT/x.json"],
    ...["/_next/image?url=TEXT&w=64&q=75", "/_next/image?url=%2FTEXT&w=TEXT", "/_next/static/TEXT.js", "/sdk/TEXT.js"],
    ...[
      "/receipt/TEXT",
      "/report-file/TEXT",
      "/invoice/TEXT",
      "/invoice/TEXT/pay",
      "/portal/TEXT",
      "/portal/TEXT/cancel?subscription=TEXT",
      "/logo/TEXT",
      "/pay/TEXT/receipt",
      "/pay/preview?origin=TEXT&locale=TEXT",
      "/pay/TEXT",
      "/pay/TEXT/state",
      "/challenge/TEXT",
      "/link/TEXT",
      "/link/TEXT/open",
      "/challenge/TEXT/result",
    ],
    ...[
      "/api/auth/TEXT",
      "/api/auth/signin?callbackUrl=TEXT",
      "/api/auth/error?error=TEXT",
      "/api/TEXT",
      "/health/TEXT",
    ],
    ...["/metrics?TEXT", "/support/sign-in?next=TEXT", "/v1/TEXT", "/v1/payments?TEXT=TEXT", "/%ffTEXT"],
    ...["/mcp/TEXT", "/mcp?TEXT=TEXT"],
  ],
  owner: [
    ...[
      "/test/transactions?customer_id=TEXT",
      "/test/transactions?TEXT=1",
      "/test/transactions/TEXT",
      "/test/payments/TEXT",
    ],
    ...[
      "/test/transactions/export?customer_id=TEXT",
      "/test/transactions/export?columns=TEXT",
      "/test/reports/export?currency=TEXT",
      "/test/payouts/export?currency=TEXT",
      "/test/settlement-batches/export?currency=TEXT",
      "/test/balance/export?starting_after=TEXT",
      "/test/disputes?customer=TEXT",
      "/test/disputes/export?customer=TEXT",
      "/test/disputes/TEXT",
      "/test/customers/export?q=TEXT",
      "/test/disputes/export?customer_id=TEXT",
      "/test/plans/TEXT",
    ],
    ...[
      "/test/developers/idempotency?key=TEXT",
      "/test/settings/processors/TEXT/reconciliation?run=TEXT",
      "/test/checkout/TEXT",
      "/test/checkout?status=TEXT",
      "/TEXT/transactions",
    ],
    ...["/test/checkout/new?plan=TEXT", "/test/settings/activity?before=TEXT", "/test/settings/TEXT", "/test/TEXT"],
  ],
  staff: [
    ...["/support?q=TEXT", "/support/audit?merchant=TEXT&staff=TEXT", "/support/audit?action=TEXT&before=TEXT"],
    ...["/support/payments/TEXT", "/support/merchants/TEXT", "/support/merchants/MERCHANT?mode=TEXT", "/support/TEXT"],
    ...[
      "/support/merchants/MERCHANT?key=TEXT",
      "/support/unknown-outcomes?TEXT=TEXT",
      "/support/reconciliation/TEXT?run=TEXT",
      "/support/disputes/TEXT",
    ],
  ],
};

/** Every page that reads its address, and every page that doesn't. */
const pagePlaces = (): Place[] =>
  (Object.keys(PAGES) as (keyof typeof PAGES)[]).flatMap((who) =>
    PAGES[who].map(
      (page): Place => ({
        name: `${who}, ${page}`,
        takes: takesUrl,
        push: async ({ text }, doors) => ({
          path: page.replaceAll("TEXT", inUrl(text)).replace("MERCHANT", doors.merchant.id),
          method: "GET",
          headers: { Cookie: who === "nobody" ? "" : (await doors[who]()).cookie },
          expected: ANSWERED,
        }),
      }),
    ),
  );

/** Identifiers, users' requests and pages: everything that isn't a field of an operation. */
export const requestPlaces = (): Place[] => [...identifierPlaces(), ...peoplesPlaces(), ...pagePlaces()];
