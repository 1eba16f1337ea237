import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import type { Canaries } from "./canaries";
import type { Search } from "./card-data-search";
import { inParallel } from "./client";

/** A raw request with its expected status: a path that was not taken proves nothing. */
export type Push = {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Body sent without encoding. */
  raw?: string | Buffer;
  /** Raw bytes sent instead of an HTTP request, as Latin-1. */
  wire?: string;
  expected: number | readonly number[];
};

export type Doors = { baseUrl: string; apiKey: string; newSession: (overrides?: object) => Promise<string> };

/** Headers that the payment form's own page sends. */
const FORM = { "Sec-Fetch-Site": "same-origin" };

const payment = (over: object) => ({ amount: 1_299, currency: "USD", ...over });

/** Correct and wrong uses of cards by merchants' servers. Values in merchants' own notes are kept. */
export function apiPushes(canaries: Canaries): Push[] {
  const path = "/v1/payments";
  const wrong = (
    what: string,
    change: (card: ReturnType<Canaries["card"]>) => object,
    expected: Push["expected"] = 400,
  ) => ({
    path,
    body: payment({ card: change(canaries.card(`API, ${what}`)) }),
    expected,
  });
  const stray = (what: string, body: (number: string) => object, expected: Push["expected"] = 400) => ({
    path,
    body: payment(body(canaries.number(`API, ${what}`))),
    expected,
  });
  const malformed = (what: string, text: (number: string) => string) => ({
    path,
    raw: text(canaries.number(`API, ${what}`)),
    expected: 400,
  });
  return [
    wrong("an unknown card", (card) => card, 402),
    wrong("spaces", (card) => ({ ...card, number: card.number.replace(/(.{4})/g, "$1 ").trim() }), 402),
    wrong("dashes", (card) => ({ ...card, number: card.number.replace(/(.{4})(?=.)/g, "$1-") }), 402),
    wrong("mistyped", (card) => ({ ...card, number: canaries.mistyped("API") })),
    wrong("number as a number", (card) => ({ ...card, number: Number(card.number) })),
    wrong("number in a list", (card) => ({ ...card, number: [card.number] })),
    wrong("two numbers", (card) => ({ ...card, number: card.number + card.number })),
    wrong("long code", (card) => ({ ...card, cvv: canaries.longCode("API") })),
    wrong("code as a number", (card) => ({ ...card, cvv: Number(card.cvv) })),
    wrong("name is the number", (card) => ({ ...card, name: card.number })),
    wrong("unknown member", (card) => ({ ...card, pan: card.number })),
    wrong("the number as a member", (card) => ({ ...card, [card.number]: 1 })),
    wrong("year is the number", (card) => ({ ...card, exp_year: Number(card.number) })),
    {
      path,
      body: payment({
        card: canaries.card("API, amex", {
          number: canaries.number("API, amex", 15, "37"),
          cvv: canaries.code("API, amex", 4),
        }),
      }),
      expected: 402,
    },
    stray("the number as the card", (number) => ({ card: number })),
    stray("as the token", (number) => ({ payment_token: number }), 404),
    stray("as the plan", (number) => ({ plan_id: number, card: canaries.card("API, with a plan") }), 404),
    stray("as the currency", (number) => ({ currency: number, card: canaries.card("API, with a currency") })),
    stray("as the amount", (number) => ({ amount: Number(number), card: canaries.card("API, with an amount") })),
    stray("as an unknown member", (number) => ({ card_number: number })),
    malformed("cut off", (number) => `{"amount":1,"card":{"number":"${number}`),
    malformed("not JSON", (number) => `number=${number}&cvv=${canaries.code("API, not JSON")}`),
    malformed("bad at the number", (number) => `{"card":{"number":${number}x}}`),
    malformed("a control character", (number) => `{"card":{"number":"${number}\u0001"}}`),
    {
      path,
      raw: `{"card":{"number":"${canaries.number("API, too large")}","x":"${"x".repeat(70_000)}"}}`,
      expected: 413,
    },
    {
      path,
      body: payment({ card: canaries.card("API, not declared as JSON") }),
      headers: { "Content-Type": "text/plain" },
      expected: 415,
    },
    {
      path,
      body: payment({ card: canaries.card("API, wrong key") }),
      headers: { "X-Api-Key": canaries.number("API key") },
      expected: 401,
    },
    {
      path,
      body: payment({ card: canaries.card("API, long key") }),
      headers: { "X-Idempotency-Key": `${canaries.number("idempotency key")}${"k".repeat(256)}` },
      expected: 400,
    },
    {
      path: `${path}?card=${canaries.number("API query")}`,
      body: payment({ card: canaries.card("API with a query") }),
      expected: 400,
    },
    { path: `${path}/${canaries.number("API path")}`, method: "GET", expected: 404 },
    { path: `${path}/${canaries.number("API path, refund")}/refund`, body: {}, expected: 404 },
    { path: `/v1/transactions?card_last4=${canaries.number("API list")}`, method: "GET", expected: 400 },
    {
      path: "/v1/transactions/search",
      body: { filters: { card_last4: canaries.number("API search") } },
      expected: 400,
    },
    ...SANDBOX_CARDS.map(({ number, behavior }) => ({
      path,
      body: payment({ card: canaries.sandboxCard(`API, ${behavior}`, number) }),
      expected: [201, 202, 402],
    })),
  ];
}

/** Card data that a user pasted into a conversation and an assistant passes on. */
export function assistantPushes(canaries: Canaries): Push[] {
  const path = "/mcp";
  const number = (what: string) => canaries.number(`MCP, ${what}`);
  const message = (method: unknown, params: object, over: object = {}) => ({
    path,
    expected: 200,
    body: { jsonrpc: "2.0", id: 1, method, params, ...over },
  });
  const call = (name: string, input: object) => message("tools/call", { name, arguments: input });
  const pay = (card: unknown) => call("execute_endpoint", { name: "createPayment", body: payment({ card }) });
  return [
    pay(canaries.card("MCP, an unknown card")),
    pay({ ...canaries.card("MCP, mistyped"), number: canaries.mistyped("MCP") }),
    pay(number("the number as the card")),
    call("execute_endpoint", { name: "createPayment", body: payment({ payment_token: number("as the token") }) }),
    call("execute_endpoint", { name: "createPlan", body: { name: number("a plan's name") } }),
    call("execute_endpoint", { name: "createPlan", body: { [number("a member")]: 1 } }),
    call("execute_endpoint", { name: number("an endpoint"), id: number("an id of no endpoint") }),
    call("read_endpoint", { name: "getPayment", id: number("an id") }),
    call("read_endpoint", { name: "listPayments", query: { [number("a parameter")]: number("its value") } }),
    call("refund_payment", { payment_id: number("a payment"), comment: number("a comment") }),
    call("refund_payment", { [number("an argument")]: 1 }),
    call("find_payment", { q: number("words") }),
    call("explain_decline", { id: number("a decline") }),
    call("search_endpoints", { query: number("a search") }),
    call(number("a tool"), {}),
    message(number("a method"), {}),
    { ...message("ping", {}, { id: number("the id of a message") }), expected: 400 },
    message("initialize", {
      protocolVersion: number("a version"),
      capabilities: {},
      clientInfo: { name: number("a client"), version: "1" },
    }),
    { path, raw: `{"jsonrpc":"2.0","id":1,"method":"${number("cut off")}`, expected: 400 },
  ];
}

/** Requests to a session's form, from shoppers' browsers and from anyone with its address. */
export async function formPushes(canaries: Canaries, doors: Doors): Promise<Push[]> {
  const post = async (
    what: string,
    over: object,
    expected: Push["expected"] = 400,
    session: object = {},
  ): Promise<Push> => ({
    path: `/pay/${await doors.newSession(session)}/attempts`,
    headers: FORM,
    body: { attempt: randomUUID(), card: canaries.card(`form, ${what}`), ...over },
    expected,
  });
  const raw = async (what: string, text: string, expected: number, headers: object = {}): Promise<Push> => ({
    path: `/pay/${await doors.newSession()}/attempts`,
    headers: { ...FORM, ...headers },
    raw: text.replace("NUMBER", canaries.number(`form, ${what}`)),
    expected,
  });
  const number = (what: string) => canaries.number(`form, ${what}`);
  const token = await doors.newSession();
  return [
    await post("an unknown card", {}, 200),
    await post("tokenize", { mode: "tokenize" }, 200),
    await post("postal code", { postal_code: "94110" }, 200),
    await post("postal code is the number", { postal_code: number("postal code is the number") }),
    await post("name is the number", { card: canaries.card("form, name", { name: number("name is the number") }) }),
    await post("long code", { card: canaries.card("form, long code", { cvv: canaries.longCode("form") }) }),
    await post("mistyped", { card: canaries.card("form, mistyped", { number: canaries.mistyped("form") }) }),
    await post("mode is the number", { mode: number("mode") }),
    await post("unknown member", { card_number: number("unknown member") }),
    await post("unknown member by its name", { [number("unknown name")]: "x" }),
    await post("the number as the card", { card: number("as the card") }),
    await post("another site", {}, 403).then((push) => ({ ...push, headers: { Origin: "https://evil.example" } })),
    await raw("cut off", '{"attempt":"a","card":{"number":"NUMBER', 400),
    await raw("bad at the number", '{"card":{"number":NUMBERx}}', 400),
    await raw("a form", "number=NUMBER&cvv=123", 415, { "Content-Type": "application/x-www-form-urlencoded" }),
    await raw("too large", `{"card":{"number":"NUMBER","x":"${"x".repeat(70_000)}"}}`, 413),
    { path: `/pay/${token}?number=${number("query")}&origin=${number("origin")}`, method: "GET", expected: [200, 404] },
    { path: `/pay/${token}?origin=https://${number("host")}.example`, method: "GET", expected: [403, 404] },
    { path: `/pay/${token}/state?number=${number("state query")}`, method: "GET", expected: 400 },
    { path: `/pay/${number("path")}`, method: "GET", expected: 404 },
    { path: `/pay/cst_${number("token")}`, method: "GET", expected: 404 },
    { path: `/pay/${number("state path")}/state`, method: "GET", expected: 404 },
    {
      path: `/pay/${number("attempts path")}/attempts`,
      headers: FORM,
      body: { attempt: "a", card: canaries.card("form, no session") },
      expected: 404,
    },
    { path: `/challenge/${number("challenge")}`, method: "GET", expected: 404 },
    {
      path: `/challenge/${number("challenge result")}/result`,
      raw: `result=${number("challenge answer")}`,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      expected: 404,
    },
    ...(await inParallel(SANDBOX_CARDS, 4, (card) =>
      post(`sandbox ${card.behavior}`, { card: canaries.sandboxCard(`form, ${card.behavior}`, card.number) }, 200),
    )),
  ];
}

export type Answered = { readonly status: number; readonly text: string };

/**
 * Sends a push and returns the response. Headers with an empty value are omitted, including the default ones.
 */
export async function answerTo(doors: Pick<Doors, "baseUrl" | "apiKey">, push: Push): Promise<Answered> {
  const { path, method = "POST", headers = {}, body, raw, wire } = push;
  if (wire !== undefined) return overTheWire(doors.baseUrl, wire);
  const api = /^\/(?:v1|mcp)/.test(path) ? { "X-Api-Key": doors.apiKey, "X-Idempotency-Key": randomUUID() } : {};
  const given = Object.entries({ "Content-Type": "application/json", ...api, ...headers });
  const content = raw ?? (body === undefined ? null : JSON.stringify(body));
  const response = await fetch(doors.baseUrl + path, {
    method,
    headers: Object.fromEntries(given.filter(([, value]) => value !== "")),
    body: typeof content === "object" && content !== null ? new Uint8Array(content) : content,
    redirect: "manual",
    signal: AbortSignal.timeout(15_000),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * Describes the problem with the response; null when the status is expected and `search` finds nothing in it.
 */
export async function send(
  doors: Pick<Doors, "baseUrl" | "apiKey">,
  push: Push,
  search?: Search,
): Promise<string | null> {
  const answer = await answerTo(doors, push);
  const [repeated] = search?.(Buffer.from(answer.text)) ?? [];
  return surpriseOf(push, answer) ?? (repeated ? `the answer repeats ${repeated.name}: ${answer.text}` : null);
}

export function surpriseOf(
  { expected, path, method = "POST", body, raw }: Push,
  { status, text }: Answered,
): string | null {
  if ([expected].flat().includes(status)) return null;
  const content = raw?.toString() ?? JSON.stringify(body) ?? "";
  return `${method} ${path} ${content.slice(0, 120)} answered ${status} ${text.slice(0, 300)}`;
}

function overTheWire(baseUrl: string, wire: string): Promise<Answered> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(wire, "latin1"));
    let text = "";
    const end = () => resolve({ status: Number(text.split(" ")[1] ?? 0), text });
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      // The server may keep the connection open, or wait for more.
      if (text.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", end);
  });
}

/** Closes the connection in the middle of the number. */
export function hangUp(
  { baseUrl, apiKey }: Pick<Doors, "baseUrl" | "apiKey">,
  path: string,
  number: string,
): Promise<void> {
  const url = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      const head = `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nX-Api-Key: ${apiKey}\r\nX-Idempotency-Key: ${randomUUID()}\r\n`;
      const rest = `Sec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n`;
      socket.write(`${head}${rest}{"attempt":"a","card":{"number":"${number}`, () => socket.destroy());
    });
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
}
