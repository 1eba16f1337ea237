import { expect, test } from "vitest";
import { CHECKOUT_LOCALES, type CheckoutPage } from "@/lib/contract/checkout/checkout";
import type { CreditNote } from "@/lib/contract/invoices/credit-notes";
import type { Receipt } from "@/lib/contract/receipts/receipts";
import { renderChallengePage } from "./render-challenge-page";
import { creditNotePage } from "./render-credit-note-page";
import { renderMessagePage } from "./render-document";
import { renderLinkPage } from "./render-link-page";
import { renderPayPage } from "./render-pay-page";
import { renderReceiptPage } from "./render-receipt-page";

const FILES = {
  nonce: "bm9uY2U=",
  script: { src: "/sdk/frame.js", integrity: "sha384-script" },
  stylesheet: { href: "/sdk/frame.css", integrity: "sha384-style" },
};

const PAGE: CheckoutPage = {
  merchant_name: "Northwind",
  logo: null,
  receipt: null,
  offer: { amount: 1_999, terms: null, next_on: null },
  consent: null,
  without_trial: null,
  currency: "USD",
  plan_name: "Monthly box",
  description: null,
  environment: "live",
  mode: "payment",
  parent_origin: "https://shop.example",
  fields: { name: true, email: false, postal_code: "required" },
  appearance: null,
  locale: "en",
  customer_name: null,
  state: {
    status: "OPEN",
    client_session_id: "cs_1",
    attempts_left: 5,
    expires_at: "2100-01-01T00:00:00.000Z",
    payment: null,
    payment_method_id: null,
    subscription_id: null,
    trial_refused: false,
    action: null,
    failure: null,
    return_url: null,
  },
  now: "2026-01-01T00:00:00.000Z",
};

const render = (page: Partial<CheckoutPage> = {}, options: { token?: string | null; embedded?: boolean } = {}) =>
  renderPayPage({ page: { ...PAGE, ...page }, token: "cst_secret", embedded: true, ...FILES, ...options });

/** The JSON that the browser's script reads. */
const dataOf = (html: string) =>
  JSON.parse(/<script type="application\/json" id="checkout">(.*?)<\/script>/s.exec(html)?.[1] ?? "null") as unknown;

test("the page shows the merchant, the purpose and the amount", () => {
  const html = render();
  for (const text of ["Northwind", "Monthly box", "$19.99", "Pay $19.99"]) expect(html).toContain(text);
  expect(html).toMatch(/^<!doctype html><html lang="en" dir="ltr" class="embedded">/);
});

test("the script gets the page and the token, as they are", () => {
  expect(dataOf(render())).toEqual({ page: PAGE, token: "cst_secret", embedded: true });
  expect(dataOf(render({}, { token: null }))).toMatchObject({ token: null });
});

const HOSTILE = `</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>" onload="alert(3)' \u2028 &amp;`;

test("no name can become part of the page", () => {
  const page = { merchant_name: HOSTILE, plan_name: HOSTILE, customer_name: HOSTILE };
  const html = render(page);
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).not.toContain("<img");
  expect(html).not.toContain("<!--");
  expect(html).not.toContain('" onload="');
  expect(dataOf(html)).toMatchObject({ page });
  const title = /<title>(.*?)<\/title>/s.exec(html)?.[1];
  expect(title).toContain("&lt;/script&gt;");
});

test("an invalid appearance changes nothing, and cannot escape the style sheet", () => {
  const hostile = { accent_color: "red}</style><script>alert(1)</script>" } as const;
  const html = render({ appearance: hostile });
  const style = /<style nonce="bm9uY2U=">(.*?)<\/style>/s.exec(html)?.[1];
  expect(style).toBe(/<style nonce="bm9uY2U=">(.*?)<\/style>/s.exec(render())?.[1]);
  expect(html.match(/<script/g)).toHaveLength(2);
});

test("the policy's demands are met: a nonce or a hash on everything, and no inline style or handler", () => {
  for (const html of [render(), renderMessagePage({ title: "t", text: "x", locale: "en", ...FILES })]) {
    expect(html).not.toMatch(/ style=| on[a-z]+="/);
    expect(html).toContain('<style nonce="bm9uY2U=">');
    expect(html).toContain('href="/sdk/frame.css" integrity="sha384-style" nonce="bm9uY2U="');
    expect(html).not.toMatch(/https?:\/\/(?!shop\.example)/);
  }
  expect(render()).toContain('type="module" src="/sdk/frame.js" integrity="sha384-script" nonce="bm9uY2U="');
});

test("before the script runs, no field can be submitted into an address", () => {
  const html = render();
  expect(html).not.toMatch(/<input[^>]* name=/);
  expect(html).toMatch(/<button type="submit"[^>]* disabled/);
});

test("each field has the autocomplete attributes of browsers and phones", () => {
  const html = render();
  for (const hint of ["cc-number", "cc-exp", "cc-csc", "cc-name", "postal-code"])
    expect(html).toContain(`autocomplete="${hint}"`);
  const fields = [...html.matchAll(/<input[^>]*>/g)].map(([field]) => field);
  const digits = fields.filter((field) => /id="(number|expiry|cvv)"/.test(field));
  expect(digits).toHaveLength(3);
  for (const field of digits) expect(field).toMatch(/inputmode="numeric" dir="ltr"/);
  expect(fields.map((field) => /enterkeyhint="(\w+)"/.exec(field)?.[1])).toEqual([
    "next",
    "next",
    "next",
    "next",
    "go",
  ]);
});

test.each(CHECKOUT_LOCALES)("%s: the document, its direction and its texts are in the language", (locale) => {
  const html = render({ locale });
  expect(html).toContain(`<html lang="${locale}" dir="${locale === "ar" ? "rtl" : "ltr"}"`);
  expect(html).not.toContain("undefined");
});

test("the name and the postal code are requested only if required", () => {
  const html = render({ fields: { name: false, email: false, postal_code: null } });
  expect([...html.matchAll(/<input[^>]* id="(\w+)"/g)].map(([, id]) => id)).toEqual(["number", "expiry", "cvv"]);
});

test("a session that is over shows no form", () => {
  const html = render({ state: { ...PAGE.state, status: "EXPIRED" } });
  expect(html).not.toContain("<input");
  expect(html).toContain("This payment page has expired");
});

test("only an http(s) address becomes the return link", () => {
  const done = (return_url: string) =>
    render({
      state: { ...PAGE.state, status: "COMPLETED", payment: { id: "pay_1", status: "CAPTURED" }, return_url },
    });
  expect(done("https://shop.example/thanks?a=1&b=2")).toContain('href="https://shop.example/thanks?a=1&amp;b=2"');
  expect(done("javascript:alert(1)")).not.toContain("<a ");
});

const CHALLENGE = {
  merchantName: HOSTILE,
  status: "REQUIRES_ACTION",
  amount: 1_999,
  currency: "USD",
  cardLast4: "3220",
  returnUrl: "https://shop.example/",
  processorUrl: null,
  isSandbox: true,
} as const;

test("the challenge works without JavaScript, and offers three choices", () => {
  const html = renderChallengePage(CHALLENGE, { action: "/challenge/x/result", framed: false, ...FILES });
  expect(html).not.toMatch(/<script|<img/);
  expect(html).toContain('<form method="post" action="/challenge/x/result"');
  expect([...html.matchAll(/name="result" value="(\w+)"/g)].map(([, value]) => value)).toEqual([
    "passed",
    "failed",
    "abandoned",
  ]);
});

test("a completed challenge has no buttons, and links back only outside the form", () => {
  const answered = { ...CHALLENGE, status: "CAPTURED" } as const;
  const page = renderChallengePage(answered, { action: "/x", framed: false, ...FILES });
  expect(page).not.toContain("<button");
  expect(page).toContain("Back to the shop");
  expect(renderChallengePage(answered, { action: "/x", framed: true, ...FILES })).not.toContain("<a ");
});

const LOGO = { src: `/logo/${"a".repeat(64)}`, width: 240, height: 60 };

test("a logo with the merchant's name replaces the initial, in embedded forms too", () => {
  const drawn = `<img class="logo" src="${LOGO.src}" width="240" height="60" alt="Northwind"/>`;
  for (const embedded of [true, false]) expect(render({ logo: LOGO }, { embedded })).toContain(drawn);
  expect(render({ logo: LOGO }, { embedded: false })).not.toContain("monogram");
  expect(render({}, { embedded: false })).toContain("monogram");
});

test("a paid session links to the receipt; an authorization and an expired link don't", () => {
  const paid = (status: string, receipt: string | null) =>
    render({ receipt, state: { ...PAGE.state, status: "COMPLETED", payment: { id: "pay_1", status } } });
  expect(paid("CAPTURED", "/pay/cst_secret/receipt")).toContain('href="/pay/cst_secret/receipt"');
  expect(paid("PARTIALLY_REFUNDED", "/pay/cst_secret/receipt")).toContain("View receipt");
  expect(paid("REFUNDED", "/pay/cst_secret/receipt")).toContain("View receipt");
  expect(paid("AUTHORIZED", "/pay/cst_secret/receipt")).not.toContain("View receipt");
  expect(paid("CAPTURED", null)).not.toContain("View receipt");
});

const PATH = "/receipt/rcp_1";

const RECEIPT: Receipt = {
  number: "F9Q3-C7AB",
  payment_id: "pay_01kb2x7t8rfh5a9d3jf9q3c7ab",
  environment: "live",
  locale: "en",
  invoice_number: null,
  merchant_name: "Northwind",
  support_email: "help@shop.example",
  business_address: "1 Main Street\nSpringfield",
  tax_number: "DE123456789",
  website: "https://shop.example/",
  logo: LOGO,
  appearance: { accent_color: "#7a1fa2" },
  time_zone: "Asia/Tokyo",
  bought: "Monthly box",
  currency: "JPY",
  amount_captured: 12_000,
  amount_refunded: 2_000,
  tax: null,
  captured_at: "2026-11-20T20:00:00.000Z",
  card: { brand: "visa", last4: "4242" },
  refunds: [
    { amount: 2_000, at: "2026-11-21T16:00:00.000Z", pending: false, credit_note: "CN-000007" },
    { amount: 500, at: "2026-11-22T16:00:00.000Z", pending: true, credit_note: null },
  ],
};

test("a receipt has its amounts in the currency's digits and its days in the business's time zone, in its color", () => {
  const html = renderReceiptPage({ receipt: RECEIPT, path: PATH, ...FILES });
  for (const text of [
    "¥12,000 JPY",
    "−¥2,000 JPY",
    "¥10,000 JPY",
    "Nov 21, 2026, 05:00:00",
    "Refunded on Nov 22, 2026",
  ])
    expect(html).toContain(text);
  for (const text of ["Refund pending since Nov 23, 2026", "Paid, partially refunded", "Visa •••• 4242", "F9Q3-C7AB"])
    expect(html).toContain(text);
  expect(html).toContain("--accent:#7a1fa2");
  expect(html).not.toContain("Test receipt");
});

test.each([
  ["de", 'lang="de" dir="ltr"', "Beleg", "−500,00 €", "21. November 2026", "Summe nach Erstattungen"],
  ["fr", 'lang="fr" dir="ltr"', "Reçu", "1 234,56 €", "Total après remboursements", "Imprimer"],
  ["es", 'lang="es" dir="ltr"', "Recibo", "1234,56 €", "Total tras los reembolsos", "Imprimir"],
  ["pt", 'lang="pt" dir="ltr"', "Recibo", "€ 1.234,56", "Total após reembolsos", "Imprimir"],
  ["ar", 'lang="ar" dir="rtl"', "إيصال", "1,234.56 €", "طباعة", "Visa •••• 4242"],
] as const)("a receipt in %s has its words, amounts and days in that language", (locale, ...texts) => {
  const sale = { locale, currency: "EUR", amount_captured: 123_456, amount_refunded: 50_000, time_zone: "UTC" };
  const refunds = [{ amount: 50_000, at: "2026-11-21T16:00:00.000Z", pending: false, credit_note: "CN-000001" }];
  const html = renderReceiptPage({ receipt: { ...RECEIPT, ...sale, refunds }, path: PATH, ...FILES });
  const plain = html.replace(/[\u00a0\u202f]/g, " ").replace(/[\u200e\u200f\u061c]/g, "");
  for (const text of texts) expect(plain).toContain(text);
  for (const english of ["Receipt", "Paid", "Refunded", "Total after", "Questions"])
    expect(plain).not.toContain(english);
});

test("a receipt has the business's address and tax number, in the form's language, and neither if unset", () => {
  const page = (receipt: Partial<Receipt>) =>
    renderReceiptPage({ receipt: { ...RECEIPT, ...receipt }, path: PATH, ...FILES });
  expect(page({})).toContain("1 Main Street\nSpringfield\nTax number: DE123456789");
  expect(page({ locale: "de" })).toContain("Steuernummer: DE123456789");
  expect(page({ business_address: null })).toContain(">Tax number: DE123456789<");
  expect(page({ business_address: null, tax_number: null })).not.toContain("receipt-address");
});

test("a receipt shows net amount and tax in its language only if its tax was set, and links each refund's document", () => {
  const page = (receipt: Partial<Receipt>) => {
    const html = renderReceiptPage({ receipt: { ...RECEIPT, currency: "EUR", ...receipt }, path: PATH, ...FILES });
    return html.replace(/[\u00a0\u202f]/g, " ");
  };
  expect(page({})).not.toContain("Net amount");
  const tax = { name: "MwSt", rate: 19_000, net: 10_084, amount: 1_916 };
  const german = page({ locale: "de", tax });
  for (const text of ["Nettobetrag", "100,84 €", "MwSt 19 %", "19,16 €"]) expect(german).toContain(text);
  expect(page({ tax: { ...tax, rate: 8_125 } })).toContain("MwSt 8.125%");
  expect(german).toContain('href="/receipt/rcp_1/credit-note/CN-000007"');
  expect(german.match(/credit-note/g)).toHaveLength(1);
});

const NOTE: CreditNote = {
  shop: { ...RECEIPT, environment: "live" },
  number: "CN-000007",
  locale: "en",
  time_zone: "UTC",
  of: { kind: "invoice", number: "INV-000003" },
  customer_email: "ada@shopper.example",
  amount: 1_190,
  currency: "EUR",
  tax: { name: "VAT", rate: 19_000, net: 1_000, amount: 190 },
  issued_at: "2026-11-21T16:00:00.000Z",
  voided_at: null,
  card: { brand: "visa", last4: "4242" },
};

test.each([
  ["en", "Credit note", "For invoice", "Net amount", "VAT 19%", "Total refunded", "€11.90 EUR"],
  ["de", "Rechnungskorrektur", "Zu Rechnung", "Nettobetrag", "VAT 19 %", "Erstatteter Betrag", "11,90 €"],
  ["fr", "Avoir", "Pour la facture", "Montant HT", "VAT 19 %", "Total remboursé", "11,90 €"],
  ["es", "Factura rectificativa", "De la factura", "Importe neto", "VAT 19 %", "Total reembolsado", "11,90 €"],
  ["pt", "Nota de crédito", "Da fatura", "Valor líquido", "VAT 19%", "Total reembolsado", "€ 11,90"],
  ["ar", "إشعار دائن", "للفاتورة", "المبلغ دون الضريبة", "VAT", "إجمالي المبلغ المُعاد"],
] as const)("a credit note in %s names its invoice, amount and tax part in that language", (locale, ...texts) => {
  const html = creditNotePage({ note: { ...NOTE, locale }, locale: "en", back: PATH, ...FILES });
  const plain = html.replace(/[\u00a0\u202f]/g, " ");
  for (const text of [...texts, "CN-000007", "INV-000003", "1 Main Street"]) expect(plain).toContain(text);
});

test("a refund receipt is no credit note, and one whose refund was returned says that it is void", () => {
  const page = (note: Partial<CreditNote> | null) =>
    creditNotePage({ note: note && { ...NOTE, ...note }, locale: "en", back: PATH, ...FILES });
  const receipt = page({ of: { kind: "receipt", number: "F9Q3-C7AB" }, tax: null });
  expect(receipt).toContain("Refund receipt");
  expect(receipt).toContain("F9Q3-C7AB");
  expect(receipt).not.toContain("Net amount");
  expect(page({ voided_at: "2026-11-24T00:00:00.000Z" })).toContain(
    "Void: the bank returned this refund on Nov 24, 2026.",
  );
  expect(page(null)).toContain("Document not found");
});

test("text on a receipt can't add markup to its page, and only http(s) addresses become links", () => {
  const hostile = {
    merchant_name: HOSTILE,
    bought: HOSTILE,
    support_email: `"${HOSTILE}"@x`,
    business_address: HOSTILE,
    tax_number: HOSTILE,
    website: "javascript:alert(1)",
  };
  const html = renderReceiptPage({
    receipt: { ...RECEIPT, ...hostile, refunds: [], card: null },
    path: PATH,
    ...FILES,
  });
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).not.toContain("<img src=x");
  expect(html).not.toContain("javascript:");
});

test("a link that this browser has used says whether it paid or subscribed, in every language", () => {
  const used = (locale: (typeof CHECKOUT_LOCALES)[number], isRecurring: boolean) => {
    const type = "SUBSCRIPTION_NO_TRIAL" as const;
    const terms = { type, price: 1_900, every: { value: 1, unit: "MONTHS" as const }, trial: null, trialPrice: null };
    const offer = { amount: 0, terms: isRecurring ? terms : null, next_on: null };
    const sale = { ...PAGE, offer, locale };
    return renderLinkPage({ sale, paidBefore: "/pay/cst_1", action: "/link/1/open", ...FILES });
  };
  for (const locale of CHECKOUT_LOCALES) {
    const link = (html: string) => /<a href="\/pay\/cst_1">(.*?)<\/a>/.exec(html)?.[1];
    expect(link(used(locale, true)), locale).toBeTruthy();
    expect(link(used(locale, true)), locale).not.toBe(link(used(locale, false)));
  }
  expect(used("en", true)).toContain("already subscribed here");
  expect(used("en", true)).not.toContain("already paid");
  expect(used("en", false)).toContain("already paid here");
});
