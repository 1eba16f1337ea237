import type Stripe from "stripe";
import type { Books } from "./books";
import { ApiError, invalid } from "./errors";
import type { Operation } from "./faults";
import type { Parameters } from "./form";
import { account } from "./shapes";

type Answer = object;
type Endpoint = {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  readonly operation: Operation;
  /** Validates the parameters and returns a function that executes the request. */
  prepare(books: Books, parameters: Parameters, id: string): () => Answer;
};

function shownIntent(books: Books, intent: Stripe.PaymentIntent, isExpanded: boolean): Stripe.PaymentIntent {
  const charge = typeof intent.latest_charge === "string" ? books.charges.get(intent.latest_charge) : null;
  return structuredClone(isExpanded && charge ? { ...intent, latest_charge: charge } : intent);
}

function shownSetup({ cards }: Books, intent: Stripe.SetupIntent, parameters: Parameters): Stripe.SetupIntent {
  const method = typeof intent.payment_method === "string" ? cards.find(intent.payment_method)?.object : null;
  return structuredClone(
    parameters.expands("payment_method") && method ? { ...intent, payment_method: method } : intent,
  );
}

const CREATED = { gte: "gte", gt: "gt", lte: "lte", lt: "lt" } as const;

/** One page of a list, newest first. */
function page<T extends { id: string; created: number }>(all: Iterable<T>, parameters: Parameters): () => Answer {
  const limit = parameters.integer("limit") ?? 10;
  if (limit < 1 || limit > 100) throw invalid("limit must be between 1 and 100", "limit");
  const bounds = parameters.texts("created");
  const [after, before] = [parameters.text("starting_after"), parameters.text("ending_before")];
  const unknown = Object.keys(bounds).find((name) => !(name in CREATED));
  if (unknown) throw invalid(`Invalid created: ${unknown}`, "created");
  return () => {
    const inRange = ({ created }: T) =>
      (bounds.gte === undefined || created >= Number(bounds.gte)) &&
      (bounds.gt === undefined || created > Number(bounds.gt)) &&
      (bounds.lte === undefined || created <= Number(bounds.lte)) &&
      (bounds.lt === undefined || created < Number(bounds.lt));
    const newestFirst = [...all].toReversed();
    const at = (id: string) => {
      const index = newestFirst.findIndex((one) => one.id === id);
      if (index < 0)
        throw new ApiError(404, {
          type: "invalid_request_error",
          code: "resource_missing",
          message: `No such object: '${id}'`,
        });
      return index;
    };
    if (before !== null) {
      const newer = newestFirst.slice(0, at(before)).filter(inRange);
      return list(newer.slice(-limit), newer.length > limit);
    }
    const older = (after === null ? newestFirst : newestFirst.slice(at(after) + 1)).filter(inRange);
    return list(older.slice(0, limit), older.length > limit);
  };
}

const list = (data: readonly object[], has_more: boolean) => ({
  object: "list",
  url: "/v1/of-the-double",
  has_more,
  data: structuredClone(data),
});

const CAPTURE_METHODS = ["automatic", "automatic_async", "manual"] as const;

export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: "POST",
    path: /^\/v1\/payment_methods$/,
    operation: "tokenize",
    prepare(books, parameters) {
      parameters.oneOf("type", ["card"]);
      const { number = "", exp_month = "", exp_year = "" } = parameters.texts("card");
      const metadata = parameters.texts("metadata");
      const address = parameters.branch("billing_details", "address") ?? {};
      parameters.end();
      return () => {
        if (!/^\d{12,19}$/.test(number))
          throw new ApiError(402, {
            type: "card_error",
            code: "incorrect_number",
            message: "Your card number is incorrect.",
          });
        return books.cards.create({
          number,
          exp_month: Number(exp_month),
          exp_year: Number(exp_year),
          metadata,
          address,
        });
      };
    },
  },
  {
    method: "GET",
    path: /^\/v1\/payment_methods\/(\w+)$/,
    operation: "read",
    prepare: (books, _, id) => () => books.cards.method(id),
  },
  {
    method: "POST",
    path: /^\/v1\/payment_methods\/(\w+)\/detach$/,
    operation: "detach",
    prepare(books, parameters, id) {
      parameters.end();
      return () => books.cards.detach(id);
    },
  },
  {
    method: "POST",
    path: /^\/v1\/customers$/,
    operation: "customer",
    prepare(books, parameters) {
      const metadata = parameters.texts("metadata");
      parameters.end();
      return () => books.cards.createCustomer(metadata);
    },
  },
  {
    method: "POST",
    path: /^\/v1\/setup_intents$/,
    operation: "setup",
    prepare(books, parameters) {
      const customer = parameters.required("customer");
      const method = parameters.required("payment_method");
      const returnUrl = parameters.text("return_url");
      const metadata = parameters.texts("metadata");
      if (parameters.required("confirm") !== "true") throw invalid("The double only confirms at once.", "confirm");
      parameters.oneOf("usage", ["off_session", "on_session"]);
      parameters.texts("allowed_payment_method_types");
      parameters.end();
      return () => shownSetup(books, books.cards.createSetup({ customer, method, returnUrl, metadata }), parameters);
    },
  },
  {
    method: "GET",
    path: /^\/v1\/setup_intents\/(\w+)$/,
    operation: "read",
    prepare: (books, parameters, id) => () => shownSetup(books, books.cards.setup(id), parameters),
  },
  {
    method: "POST",
    path: /^\/v1\/setup_intents\/(\w+)\/cancel$/,
    operation: "cancel",
    prepare(books, parameters, id) {
      const reasons = ["abandoned", "duplicate", "requested_by_customer"] as const;
      const reason = parameters.oneOf("cancellation_reason", reasons);
      parameters.end();
      return () => shownSetup(books, books.cards.cancelSetup(id, reason), parameters);
    },
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents$/,
    operation: "create",
    prepare(books, parameters) {
      const amount = parameters.amount("amount");
      const currency = parameters.required("currency");
      if (amount === null) throw invalid("Missing required param: amount.", "amount", "parameter_missing");
      if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}`, "currency");
      parameters.texts("allowed_payment_method_types");
      const captureMethod = parameters.oneOf("capture_method", CAPTURE_METHODS) ?? "automatic_async";
      const metadata = parameters.texts("metadata");
      const description = parameters.text("description");
      parameters.end();
      return () => books.createIntent({ amount, currency, metadata, captureMethod, description });
    },
  },
  {
    method: "GET",
    path: /^\/v1\/payment_intents$/,
    operation: "list",
    prepare(books, parameters) {
      const isExpanded = parameters.expands("data.latest_charge");
      const find = page(books.intents.values(), parameters);
      parameters.end();
      return () => {
        const found = find() as { data: Stripe.PaymentIntent[] };
        return { ...found, data: found.data.map((intent) => shownIntent(books, intent, isExpanded)) };
      };
    },
  },
  {
    method: "GET",
    path: /^\/v1\/payment_intents\/(\w+)$/,
    operation: "read",
    prepare: (books, parameters, id) => () => shownIntent(books, books.intent(id), parameters.expands("latest_charge")),
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents\/(\w+)$/,
    operation: "update",
    prepare(books, parameters, id) {
      const metadata = parameters.texts("metadata");
      const customer = parameters.text("customer");
      parameters.end();
      return () => shownIntent(books, books.update(id, { metadata, customer }), parameters.expands("latest_charge"));
    },
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents\/(\w+)\/confirm$/,
    operation: "confirm",
    prepare(books, parameters, id) {
      const method = parameters.required("payment_method");
      const captureMethod = parameters.oneOf("capture_method", CAPTURE_METHODS);
      const returnUrl = parameters.text("return_url");
      const futureUsage = parameters.oneOf("setup_future_usage", ["off_session", "on_session"]);
      const offSession = parameters.oneOf("off_session", ["true", "false"]) === "true";
      parameters.end();
      return () =>
        shownIntent(
          books,
          books.confirm(id, { method, captureMethod, returnUrl, futureUsage, offSession }),
          parameters.expands("latest_charge"),
        );
    },
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents\/(\w+)\/capture$/,
    operation: "capture",
    prepare(books, parameters, id) {
      const amount = parameters.amount("amount_to_capture");
      const metadata = parameters.texts("metadata");
      parameters.end();
      return () => shownIntent(books, books.capture(id, { amount, metadata }), parameters.expands("latest_charge"));
    },
  },
  {
    method: "POST",
    path: /^\/v1\/payment_intents\/(\w+)\/cancel$/,
    operation: "cancel",
    prepare(books, parameters, id) {
      const reasons = ["duplicate", "fraudulent", "requested_by_customer", "abandoned"] as const;
      const reason = parameters.oneOf("cancellation_reason", reasons);
      parameters.end();
      return () => shownIntent(books, books.cancel(id, reason), parameters.expands("latest_charge"));
    },
  },
  {
    method: "POST",
    path: /^\/v1\/refunds$/,
    operation: "refund",
    prepare(books, parameters) {
      const intent = parameters.required("payment_intent");
      const amount = parameters.amount("amount");
      const reason = parameters.oneOf("reason", ["duplicate", "fraudulent", "requested_by_customer"]);
      const metadata = parameters.texts("metadata");
      parameters.end();
      return () => books.createRefund({ intent, amount, reason, metadata });
    },
  },
  {
    method: "GET",
    path: /^\/v1\/refunds$/,
    operation: "list",
    prepare(books, parameters) {
      const intent = parameters.text("payment_intent");
      const all = [...books.refunds.values()].filter((one) => intent === null || one.payment_intent === intent);
      const find = page(all, parameters);
      parameters.end();
      return find;
    },
  },
  {
    method: "GET",
    path: /^\/v1\/disputes\/(\w+)$/,
    operation: "read",
    prepare: (books, _, id) => () => {
      const dispute = books.disputes.get(id);
      if (!dispute)
        throw new ApiError(404, {
          type: "invalid_request_error",
          code: "resource_missing",
          message: `No such dispute: '${id}'`,
        });
      return dispute;
    },
  },
  {
    method: "POST",
    path: /^\/v1\/disputes\/(\w+)$/,
    operation: "evidence",
    prepare(books, parameters, id) {
      const evidence = parameters.texts("evidence");
      const submit = parameters.oneOf("submit", ["true", "false"]) !== "false";
      parameters.end();
      return () => structuredClone(books.respond(id, evidence, submit));
    },
  },
  {
    method: "POST",
    path: /^\/v1\/disputes\/(\w+)\/close$/,
    operation: "close",
    prepare(books, parameters, id) {
      parameters.end();
      return () => structuredClone(books.closeDispute(id));
    },
  },
  {
    method: "POST",
    path: /^\/v1\/files$/,
    operation: "file",
    prepare(books, parameters) {
      parameters.oneOf("purpose", ["dispute_evidence"]);
      const given = parameters.texts("file");
      parameters.end();
      return () => books.createFile({ ...given, size: Number(given.size) });
    },
  },
  {
    method: "GET",
    path: /^\/v1\/events$/,
    operation: "list",
    prepare(books, parameters) {
      const types = new Set(Object.values(parameters.texts("types")));
      const find = page(
        books.events.filter(({ type }) => types.size === 0 || types.has(type)),
        parameters,
      );
      parameters.end();
      return find;
    },
  },
  {
    method: "GET",
    path: /^\/v1\/account$/,
    operation: "account",
    prepare: (books) => () => account(books.accountId, true),
  },
  {
    method: "GET",
    path: /^\/v1\/balance$/,
    operation: "account",
    prepare: () => () => ({ object: "balance", available: [], pending: [], livemode: false }) satisfies Stripe.Balance,
  },
];
