import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  AbortError,
  ApiError,
  AuthenticationError,
  CardDeclinedError,
  Cardlane,
  type ClientOptions,
  ConflictError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  PaymentFailedError,
  RateLimitError,
} from "./index.ts";
import { API_KEY, broken, clientOf, problem, type Step } from "./scripted-service.ts";

const create = (cardlane: Cardlane) => cardlane.payments.create({ amount: 1, currency: "USD" });

describe("a call that moves money", () => {
  it.each<[string, Step]>([
    ["a lost connection", broken()],
    ["half an answer", new Response('{"id":"pa', { status: 201 })],
    ["503", problem(503, "database_unavailable")],
    ["429", problem(429, "rate_limited")],
    ["a first request that still runs", problem(409, "idempotency_request_in_progress")],
  ])("is resent under the same key after %s", async (_name, step) => {
    const { cardlane, sent } = clientOf([step]);
    expect(await create(cardlane)).toEqual({ id: "pay_1" });
    expect(sent).toHaveLength(2);
    expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent[1]?.key).toBe(sent[0]?.key);
  });

  it("is resent under the same key on a timeout, and reports it after the last attempt", async () => {
    const { cardlane, sent } = clientOf(["silence"]);
    expect(await cardlane.payments.create({ amount: 1, currency: "USD" }, { timeoutMs: 20 })).toEqual({ id: "pay_1" });
    expect([sent.length, sent[1]?.key]).toEqual([2, sent[0]?.key]);
    const given = clientOf(["silence"], { maxRetries: 0 }).cardlane.payments.capture("pay_1", {}, { timeoutMs: 20 });
    await expect(given).rejects.toThrow("No answer came from the service: it took too long.");
  });

  it("is not sent at all with a timeout that isn't a number or exceeds a timer's range", async () => {
    for (const limit of [
      { timeoutMs: Number.POSITIVE_INFINITY },
      { timeoutMs: 2 ** 31 },
      { timeoutMs: 0 },
      { timeoutMs: Number.NaN },
      { maxRetries: Number.NaN },
      { maxRetries: -1 },
    ]) {
      const { cardlane, sent } = clientOf([]);
      await expect(cardlane.payments.create({ amount: 1, currency: "USD" }, limit)).rejects.toThrow(
        "Nothing was sent.",
      );
      expect(sent).toEqual([]);
      expect(() => new Cardlane({ apiKey: API_KEY, ...limit })).toThrow(TypeError);
    }
  });

  it("ends immediately if the caller aborts while it waits for its response", async () => {
    const giveUp = new AbortController();
    const { cardlane, sent } = clientOf(["silence"]);
    const call = cardlane.payments.create({ amount: 1, currency: "USD" }, { signal: giveUp.signal });
    setImmediate(() => giveUp.abort(new Error("enough")));
    await expect(call).rejects.toThrow("enough");
    expect(sent).toHaveLength(1);
  });

  it("gets a new key each time, or the caller's", async () => {
    const { cardlane, sent } = clientOf([]);
    await create(cardlane);
    await create(cardlane);
    await cardlane.payments.refund("pay_1", {}, { idempotencyKey: "order-1-refund" });
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
    expect(sent[2]?.key).toBe("order-1-refund");
  });

  it("is abandoned after the last retry, with the key that finds its outcome", async () => {
    const { cardlane, sent } = clientOf([broken(), broken()], { maxRetries: 1 });
    const error = await create(cardlane).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ idempotencyKey: sent[0]?.key, status: null, code: null });
    expect(sent).toHaveLength(2);
  });

  it.each([400, 402, 404, 409, 422])("returns %i as the response", async (status) => {
    const { cardlane, sent } = clientOf([problem(status, "invalid_state")]);
    await expect(create(cardlane)).rejects.toThrow("Do something else.");
    expect(sent).toHaveLength(1);
  });

  it("returns a PENDING payment if the outcome is unknown, with its status and key", async () => {
    const { cardlane, sent } = clientOf([Response.json({ status: "PENDING" }, { status: 202 })]);
    const { data, response } = await create(cardlane).withResponse();
    expect(data.status).toBe("PENDING");
    expect(response).toMatchObject({ status: 202, replayed: false, idempotencyKey: sent[0]?.key });
  });
});

describe("a call of unknown outcome", () => {
  const unknown = (key = "refund-1") => `The outcome is unknown. Repeat the call with idempotencyKey "${key}".`;
  const later = () => Response.json({ code: "rate_limited", detail: "Later." }, { status: 429, headers: LONG });
  const LONG = { "retry-after": "900" };
  const refund = (steps: Step[], options: { maxRetries?: number; signal?: AbortSignal } = {}) =>
    clientOf(steps)
      .cardlane.payments.refund("pay_1", {}, { idempotencyKey: "refund-1", maxRetries: 1, ...options })
      .catch((reason: unknown) => reason);

  it.each<[string, Step[]]>([
    ["503", [broken(), problem(503, "database_unavailable")]],
    ["a first request that still runs", [broken(), problem(409, "idempotency_request_in_progress")]],
    ["an earlier operation without an outcome", [broken(), problem(409, "outcome_pending")]],
    ["a limit", [broken(), later()]],
    ["a revoked key", [problem(500, "internal_error"), problem(401, "api_key_invalid")]],
    ["a gateway's page", [broken(), new Response("<h1>Conflict</h1>", { status: 409 })]],
    ["nothing", [problem(503, "database_unavailable"), broken()]],
  ])("is reported with its key if a lost response is followed by %s", async (_name, steps) => {
    const error = await refund(steps);
    expect(error).toMatchObject({ idempotencyKey: "refund-1", message: expect.stringContaining(unknown()) });
  });

  it.each<[string, Step[]]>([
    ["a decline", [broken(), problem(402, "payment_failed")]],
    ["a status that forbids it", [broken(), problem(409, "invalid_state")]],
    ["an amount that is too high", [broken(), problem(422, "amount_exceeds_refundable")]],
    ["a limit alone", [problem(429, "rate_limited"), later()]],
  ])("is not reported after %s, but its error has the key", async (_name, steps) => {
    const error = await refund(steps);
    expect(error).toMatchObject({ idempotencyKey: "refund-1", message: expect.not.stringContaining("unknown") });
  });

  it("has the client's own key in its error and its message", async () => {
    const { cardlane, sent } = clientOf([broken(), problem(503, "internal_error")], { maxRetries: 1 });
    const error = await create(cardlane).catch((reason: unknown) => reason);
    const key = sent[1]?.key ?? "";
    expect(error).toMatchObject({ idempotencyKey: key, message: expect.stringContaining(unknown(key)) });
  });

  it("has its key if the caller aborts, during a call or between two attempts", async () => {
    for (const steps of [["silence"], [broken()], [new Response("", { status: 503 })]] satisfies Step[][]) {
      const giveUp = new AbortController();
      const call = refund(steps, { signal: giveUp.signal });
      setImmediate(() => giveUp.abort());
      const error = await call;
      expect(error).toBeInstanceOf(AbortError);
      expect(error).toMatchObject({ name: "AbortError", cause: giveUp.signal.reason, idempotencyKey: "refund-1" });
      expect(error).toMatchObject({ message: `The call was aborted. ${unknown()}` });
    }
  });

  it("was never sent if the caller aborted before", async () => {
    const error = await refund([], { signal: AbortSignal.abort(new Error("enough.")) });
    expect(error).toMatchObject({ name: "AbortError", message: "The call was aborted: enough." });
  });

  it("without a key says to check first, and a read does not", async () => {
    const { cardlane } = clientOf([broken(), broken()], { maxRetries: 0 });
    await expect(cardlane.subscriptionPlans.activate("plan_1")).rejects.toThrow("Check whether the change was made");
    const read = cardlane.transactions.search({});
    await expect(read).rejects.toMatchObject({
      message: "No answer came from the service: ECONNRESET.",
      idempotencyKey: null,
    });
  });
});

describe("an idempotency key", () => {
  it.each(["", " a ", "a ", "\ta", "a\nb", "ключ", "é", "x".repeat(256)])(
    "of %j would not arrive unchanged, and nothing is sent",
    async (idempotencyKey) => {
      const { cardlane, sent } = clientOf([]);
      const call = cardlane.payments.refund("pay_1", {}, { idempotencyKey });
      await expect(call).rejects.toBeInstanceOf(InvalidRequestError);
      await expect(call).rejects.toThrow("1 to 255 visible ASCII characters");
      expect(sent).toEqual([]);
    },
  );

  it.each(["a", "order 1001", "x".repeat(255), "~!{}"])("of %j arrives as it is", async (idempotencyKey) => {
    const { cardlane, sent } = clientOf([]);
    await cardlane.payments.refund("pay_1", {}, { idempotencyKey });
    expect(sent[0]?.key).toBe(idempotencyKey);
  });
});

describe("a call without an idempotency key", () => {
  it("is resent after a lost connection if it only reads", async () => {
    const { cardlane, sent } = clientOf([broken(), problem(500, "internal_error"), broken()]);
    await cardlane.transactions.search({ filters: { status: ["CAPTURED"] } });
    expect(sent).toHaveLength(4);
  });

  it.each<[string, Step, typeof ApiError | typeof ConnectionError]>([
    ["a lost connection", broken(), ConnectionError],
    ["500", problem(500, "internal_error"), ApiError],
  ])("is not resent after %s if it changes something", async (_name, step, kind) => {
    const { cardlane, sent } = clientOf([step]);
    await expect(cardlane.subscriptionPlans.update("plan_1", { name: "Gold" })).rejects.toBeInstanceOf(kind);
    expect(sent).toHaveLength(1);
  });

  it("is resent after a 429, which changed nothing", async () => {
    const { cardlane, sent } = clientOf([problem(429, "rate_limited")]);
    await cardlane.subscriptionPlans.activate("plan_1");
    expect(sent.map(({ body }) => body)).toEqual([{}, {}]);
  });
});

describe("pauses", () => {
  it("last as long as Retry-After says", async () => {
    const asked = Response.json(
      { code: "rate_limited", detail: "Later." },
      { status: 429, headers: { "retry-after": "1" } },
    );
    const { cardlane } = clientOf([asked]);
    const started = performance.now();
    await create(cardlane);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  it("that would take minutes become the original error", async () => {
    const asked = Response.json(
      { code: "rate_limited", detail: "Later." },
      { status: 429, headers: { "retry-after": "900" } },
    );
    await expect(create(clientOf([asked]).cardlane)).rejects.toBeInstanceOf(RateLimitError);
  });

  it("end immediately if the caller aborts", async () => {
    const asked = Response.json({}, { status: 429, headers: { "retry-after": "60" } });
    const giveUp = new AbortController();
    const { cardlane } = clientOf([() => asked]);
    const call = cardlane.balance.get({ signal: giveUp.signal });
    setImmediate(() => giveUp.abort(new Error("enough")));
    await expect(call).rejects.toThrow("enough");
  });
});

describe("errors", () => {
  it.each([
    [401, "api_key_invalid", AuthenticationError],
    [402, "payment_failed", PaymentFailedError],
    [404, "resource_not_found", NotFoundError],
    [409, "idempotency_key_reused", IdempotencyError],
    [409, "a_code_of_next_year", ConflictError],
  ])("of %i %s are of their class", async (status, code, kind) => {
    const error = await create(clientOf([problem(status, code)]).cardlane).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, code, requestId: "req_2", name: kind.name });
  });

  it("say why a card was declined, and what to do about an amount or a status", async () => {
    const declined = problem(402, "card_declined", {
      decline_code: "lost_card",
      payment_id: "pay_2",
      transaction_id: "txn_2",
    });
    const error = await create(clientOf([declined]).cardlane).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CardDeclinedError);
    expect(error).toBeInstanceOf(PaymentFailedError);
    expect(error).toMatchObject({ declineCode: "lost_card", paymentId: "pay_2", transactionId: "txn_2" });
    const tooMuch = problem(422, "amount_exceeds_refundable", { remaining: 5, errors: [{ param: "amount" }] });
    const refund = clientOf([tooMuch]).cardlane.payments.refund("pay_1");
    await expect(refund).rejects.toMatchObject({ remaining: 5, errors: [{ param: "amount" }] });
    const state = problem(409, "invalid_state", { current_status: "VOIDED", allowed_actions: [] });
    await expect(clientOf([state]).cardlane.payments.capture("pay_1")).rejects.toMatchObject({
      currentStatus: "VOIDED",
      allowedActions: [],
    });
  });

  it("of a gateway or a redirect keep its status and text, and never follow it with the key", async () => {
    const page = new Response("<h1>Bad gateway</h1>", { status: 502 });
    const error = await clientOf([page], { maxRetries: 0 })
      .cardlane.balance.get()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 502, code: null, raw: "<h1>Bad gateway</h1>" });
    const moved = new Response(null, { status: 308, headers: { location: "https://elsewhere.example" } });
    await expect(clientOf([moved]).cardlane.balance.get()).rejects.toMatchObject({ status: 308 });
  });

  it("and the client itself never show the API key", async () => {
    const { cardlane } = clientOf([broken(), problem(401, "api_key_invalid")], { maxRetries: 0 });
    const errors = [await create(cardlane).catch(String), await create(cardlane).catch((reason: unknown) => reason)];
    const wrong = (() => {
      try {
        return new Cardlane({ apiKey: `${API_KEY}\n${API_KEY}` });
      } catch (error) {
        return error;
      }
    })();
    const shown = inspect([cardlane, errors, wrong], { depth: null, showHidden: true }) + JSON.stringify(cardlane);
    expect(wrong).toBeInstanceOf(TypeError);
    expect(shown).not.toContain(API_KEY);
  });
});

describe("settings", () => {
  const sentWith = async (options: Partial<ClientOptions>) => {
    const sent: { url: string; key: string | null }[] = [];
    const fetch = async (url: unknown, init?: RequestInit) => {
      sent.push({ url: String(url), key: new Headers(init?.headers).get("x-api-key") });
      return Response.json({});
    };
    await new Cardlane({ apiKey: API_KEY, ...options, fetch }).balance.get();
    return sent[0];
  };

  it.each([
    ["https://pay.example", "https://pay.example/v1/balance"],
    ["https://pay.example/v1", "https://pay.example/v1/balance"],
    ["https://pay.example//v1//", "https://pay.example/v1/balance"],
    [" https://pay.example/ \n", "https://pay.example/v1/balance"],
    ["\ufeffhttps://pay.example//", "https://pay.example/v1/balance"],
    ['"HTTPS://Pay.Example:443"', "https://pay.example/v1/balance"],
    ["http://[::1]:3000", "http://[::1]:3000/v1/balance"],
    ["https://shop.example/cardlane/v1/", "https://shop.example/cardlane/v1/balance"],
  ])("baseUrl %j is accepted", async (baseUrl, url) => {
    expect(await sentWith({ baseUrl })).toEqual({ url, key: API_KEY });
  });

  it.each([
    ["pay.example:3000", 'must begin with https:// or http://. It is "pay.example:3000"'],
    ["ftp://pay.example", "must begin with https:// or http://"],
    ["https://", 'is no address: "https://"'],
    ["https://pay.example/?x=1", "without user, query and fragment: https://pay.example."],
    ["https://me:secret@pay.example", "without user, query and fragment: https://pay.example."],
    ["", "Pass the service's address as baseUrl"],
    [null as never, "Pass the service's address as baseUrl"],
  ])("baseUrl %j is named", (baseUrl, message) => {
    const make = () => new Cardlane({ apiKey: API_KEY, baseUrl });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it.each(["KEY\n", "KEY\r\n", " KEY", "\ufeffKEY", '"KEY"', "'KEY' "])("apiKey %j is accepted", async (text) => {
    expect((await sentWith({ apiKey: text.replace("KEY", API_KEY) }))?.key).toBe(API_KEY);
  });

  it.each([
    [undefined as never, "apiKey is undefined. Pass your API key"],
    [null as never, "apiKey is null. Pass your API key"],
    [1 as never, "Pass your API key as a string"],
    [' "" ', "apiKey is empty"],
    ["Bearer sk_test_x", 'without "Bearer"'],
    ["sk_test_a\nb", "a line break at place 10"],
    ["sk_test_a b", "a space at place 10"],
    ["sk_test_\u200b", "U+200B at place 9"],
    ["sk_test_…", "U+2026 at place 9"],
  ])("apiKey %j is named", (apiKey, message) => {
    expect(() => new Cardlane({ apiKey })).toThrow(message);
  });

  it.each([404, 403, 308])("a response of another server, %i, names baseUrl", async (status) => {
    const { cardlane } = clientOf([new Response("<h1>Not here</h1>", { status })], { maxRetries: 0 });
    await expect(cardlane.balance.get()).rejects.toThrow("Check baseUrl: http");
  });
});

describe("lists", () => {
  const page = (ids: string[], has_more: boolean, offset = 0) =>
    Response.json({ object: "list", data: ids.map((id) => ({ id })), has_more, offset });

  it("continue after the last item, wherever they began", async () => {
    const { cardlane, sent } = clientOf([page(["txn_3", "txn_2"], true, 10), page(["txn_1"], false)]);
    const ids: string[] = [];
    for await (const { id } of cardlane.transactions.list({ limit: 2, offset: 10, q: "ada park" })) ids.push(id);
    expect(ids).toEqual(["txn_3", "txn_2", "txn_1"]);
    expect(sent.map(({ url }) => url.search)).toEqual([
      "?limit=2&offset=10&q=ada+park",
      "?limit=2&q=ada+park&starting_after=txn_2",
    ]);
  });

  it("with their own sort order continue by offset, and an awaited list is one page", async () => {
    const { cardlane, sent } = clientOf([page(["txn_3"], true), page(["txn_1"], false, 1), page(["txn_3"], true)]);
    const sort = { field: "amount", order: "asc" } as const;
    const ids: string[] = [];
    for await (const { id } of cardlane.transactions.search({ sort })) ids.push(id);
    expect(ids).toEqual(["txn_3", "txn_1"]);
    expect(sent.map(({ body }) => body)).toEqual([{ sort }, { sort, offset: 1 }]);
    expect((await cardlane.transactions.list()).data).toHaveLength(1);
    expect(sent).toHaveLength(3);
  });
});
