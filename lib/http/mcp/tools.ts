/** MCP tools: their definitions, the API keys that can see them, and their handlers. */
import type { CallToolResult, InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Dispute, listDisputesQuery, updateDisputeBody } from "@/lib/contract/disputes/dispute";
import {
  acceptDispute,
  getDispute,
  listDisputes,
  submitDispute,
  updateDispute,
} from "@/lib/contract/disputes/endpoints";
import { type Endpoint, writes } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { listInvoices } from "@/lib/contract/invoices/endpoints";
import { type Invoice, listInvoicesQuery } from "@/lib/contract/invoices/invoice";
import { listPaymentMethods } from "@/lib/contract/payment-methods/endpoints";
import { listPaymentMethodsQuery, type PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import { getPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { type Payment, refundBody } from "@/lib/contract/payments/payment";
import { AVS_RESULTS, CVV_RESULTS } from "@/lib/contract/payments/words";
import {
  cancelSubscription,
  getSubscription,
  listSubscriptions,
  updateSubscription,
} from "@/lib/contract/subscriptions/endpoints";
import {
  type CancelSubscriptionBody,
  cancelSubscriptionBody,
  listSubscriptionsQuery,
  type Subscription,
} from "@/lib/contract/subscriptions/subscription";
import { getTransaction, listTransactions } from "@/lib/contract/transactions/endpoints";
import { listTransactionsQuery, type Transaction } from "@/lib/contract/transactions/transaction";
import type { Caller } from "@/lib/http/caller";
import { check } from "@/lib/http/parse";
import { toAppError } from "@/lib/http/response";
import { SENDS_ELSEWHERE } from "@/lib/http/session-caller";
import { describeEndpoint, isPermitted, jsonSchema, OFFERED, searchEndpoints } from "./catalogue";
import { type Confirmation, moveMoney, movesMoney } from "./confirmation";
import {
  type Call,
  callEndpoint,
  dataResult,
  endpointResult,
  invalid,
  MAX_ROWS,
  problemResult,
  type Scalar,
} from "./endpoint-calls";

export type ToolResult = CallToolResult | InputRequiredResult;

type ToolDefinition = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /**
   * Endpoints that the tool may call; undefined if it calls none. The tool is listed for keys that may call
   * any of them.
   */
  readonly calls?: readonly Endpoint[];
  /** An endpoint that the key must also be permitted to call, because the tool reads it first. */
  readonly reads?: Endpoint;
  readonly input: z.ZodType<Record<string, unknown>>;
  /** Schema shown to clients in place of `input`, where the endpoint validates the input. */
  readonly shownInput?: z.ZodType;
  readonly run: (call: Call, input: never, confirmation: Confirmation) => ToolResult | Promise<ToolResult>;
};

function tool<Input extends z.ZodType<Record<string, unknown>>>(
  definition: Omit<ToolDefinition, "input" | "run"> & {
    readonly input: Input;
    readonly run: (call: Call, input: z.infer<Input>, confirmation: Confirmation) => ToolResult | Promise<ToolResult>;
  },
): ToolDefinition {
  return definition;
}

const READS = OFFERED.filter((endpoint) => !writes(endpoint));
const WRITES = OFFERED.filter(writes);

const endpointName = z.string().max(100).describe("An endpoint's name, as search_endpoints returns it.");
const scalar = z.union([z.string().max(1_000), z.number(), z.boolean()]);
const endpointInput = z.strictObject({
  name: endpointName,
  id: z.string().min(1).max(255).optional().describe("The id in the path, if the endpoint has one."),
  query: z.record(z.string().max(100), scalar).optional().describe("Query parameters."),
  body: z.record(z.string(), z.unknown()).optional().describe("The JSON body."),
});

const CONFIRMED_NOTE =
  "Your user is asked to confirm first. Call it once. If a call fails without a response, check the current state before you call again.";
const MONEY_NOTE = `Amounts are integers in minor units: 1999 is $19.99. ${CONFIRMED_NOTE}`;

const disputeId = z.string().min(1).max(255).describe("Id of the dispute (dp_…).");

const ROWS = `Rows to return: 1 to ${MAX_ROWS}, 10 by default.`;
const limit = z.int().min(1).max(MAX_ROWS).optional().describe(ROWS);

const TOOLS: readonly ToolDefinition[] = [
  tool({
    name: "find_payment",
    title: "Find payments",
    description:
      "Finds charges by search terms (customer name, e-mail, order number, description, metadata, last four digits, amount) and filters, all of which must match. Newest first. Other tools take the payment_id.",
    calls: [listTransactions],
    input: z.record(z.string().max(100), scalar),
    shownInput: z.strictObject({
      ...listTransactionsQuery.shape,
      limit,
    }),
    run: (call, query) => findRows(call, listTransactions, { type: "CHARGE", ...query }, MEMBERS),
  }),
  tool({
    name: "explain_decline",
    title: "Explain a decline",
    description:
      "Explains why a payment or transaction was declined or failed: the code, its meaning, what to tell the customer and what to do next.",
    calls: [getPayment, getTransaction],
    input: z.strictObject({
      id: z.string().min(1).max(255).describe("Id of a payment (pay_…) or transaction (txn_…)."),
    }),
    run: explainDecline,
  }),
  tool({
    name: "refund_payment",
    title: "Refund a payment",
    description: `Refunds a captured payment to its card: the given amount, or everything that is left. ${MONEY_NOTE}`,
    calls: [refundPayment],
    reads: getPayment,
    input: z.strictObject({
      payment_id: z.string().min(1).max(255).describe("Id of the payment (pay_…)."),
      ...refundBody.shape,
    }),
    run: (call, { payment_id, ...body }, confirmation) =>
      moveMoney(call, confirmation, refundPayment, { id: payment_id, body }),
  }),
  tool({
    name: "find_subscription",
    title: "Find subscriptions",
    description: "Finds subscriptions by status, plan, customer and date. Newest first.",
    calls: [listSubscriptions],
    input: z.record(z.string().max(100), scalar),
    shownInput: z.strictObject({ ...listSubscriptionsQuery.shape, limit }),
    run: (call, query) => findRows(call, listSubscriptions, query, SUBSCRIPTION_MEMBERS),
  }),
  tool({
    name: "find_invoice",
    title: "Find invoices",
    description:
      "Finds invoices by subscription, customer, status and date, with their attempts, the next one, and the ids of their payments. Newest first.",
    calls: [listInvoices],
    input: z.record(z.string().max(100), scalar),
    shownInput: z.strictObject({ ...listInvoicesQuery.shape, limit }),
    run: (call, query) => findRows(call, listInvoices, query, INVOICE_MEMBERS),
  }),
  tool({
    name: "find_dispute",
    title: "Find disputes",
    description: "Finds disputes by status, reason, customer, payment and deadline to respond. Newest first.",
    calls: [listDisputes],
    input: z.record(z.string().max(100), scalar),
    shownInput: z.strictObject({ ...listDisputesQuery.shape, limit }),
    run: (call, query) => findRows(call, listDisputes, query, DISPUTE_MEMBERS),
  }),
  tool({
    name: "save_evidence",
    title: "Save evidence for a dispute",
    description:
      "Saves evidence as a draft while a dispute needs a response. Nothing reaches the bank before submit_evidence. Files are uploaded in the dashboard or by POST /v1/files.",
    calls: [updateDispute],
    input: z.strictObject({ dispute_id: disputeId, evidence: z.record(z.string().max(100), z.unknown()) }),
    shownInput: z.strictObject({ dispute_id: disputeId, ...updateDisputeBody.shape }),
    run: async (call, { dispute_id: id, ...body }) =>
      endpointResult(call, updateDispute, await callEndpoint(call, updateDispute, { id, body })),
  }),
  tool({
    name: "submit_evidence",
    title: "Submit the evidence for a dispute",
    description: `Sends a dispute's saved evidence to the cardholder's bank, once and for good. ${CONFIRMED_NOTE}`,
    calls: [submitDispute],
    reads: getDispute,
    input: z.strictObject({ dispute_id: disputeId }),
    run: (call, { dispute_id: id }, confirmation) => moveMoney(call, confirmation, submitDispute, { id }),
  }),
  tool({
    name: "accept_dispute",
    title: "Accept a dispute",
    description: `Gives up a disputed amount: the cardholder keeps the money. ${CONFIRMED_NOTE}`,
    calls: [acceptDispute],
    reads: getDispute,
    input: z.strictObject({ dispute_id: disputeId }),
    run: (call, { dispute_id: id }, confirmation) => moveMoney(call, confirmation, acceptDispute, { id }),
  }),
  tool({
    name: "find_payment_method",
    title: "Find stored cards",
    description: "Finds customers' stored cards: brand, last four digits, expiry and status. Newest first.",
    calls: [listPaymentMethods],
    input: z.record(z.string().max(100), scalar),
    shownInput: z.strictObject({ ...listPaymentMethodsQuery.shape, limit }),
    run: (call, query) => findRows(call, listPaymentMethods, query, METHOD_MEMBERS),
  }),
  tool({
    name: "cancel_subscription",
    title: "Cancel a subscription",
    description: `Cancels a subscription at the end of its period, which can be taken back, or now. Now: ${MONEY_NOTE}`,
    calls: [cancelSubscription],
    reads: getSubscription,
    input: z.strictObject({
      subscription_id: z.string().min(1).max(255).describe("Id of the subscription (sub_…)."),
      when: z.enum(["period_end", "now"]).default("period_end").describe("When it ends."),
      ...cancelSubscriptionBody.shape,
    }),
    run: cancelWhen,
  }),
  tool({
    name: "search_endpoints",
    title: "Search the API's endpoints",
    description: "Searches the Cardlane API's endpoints by keyword. Without keywords, lists all of them.",
    input: z.strictObject({ query: z.string().max(200).default("").describe("Keywords, such as `capture payment`.") }),
    run: ({ caller }, { query }) => dataResult({ endpoints: searchEndpoints(query, caller.permissions) }),
  }),
  tool({
    name: "describe_endpoint",
    title: "Describe an endpoint",
    description:
      "Describes an endpoint in full: parameters, errors and an example. Use it before you call the endpoint.",
    input: z.strictObject({
      name: endpointName,
      answer_schema: z.boolean().default(false).describe("Include the JSON Schema of the response."),
    }),
    run: ({ caller }, { name, answer_schema }) =>
      dataResult(describeEndpoint(offered(name, OFFERED), caller.permissions, answer_schema)),
  }),
  tool({
    name: "read_endpoint",
    title: "Read from the API",
    description: `Calls a read-only endpoint. Lists return 20 rows by default, ${MAX_ROWS} at most.`,
    calls: READS,
    input: endpointInput,
    run: async (call, { name, ...input }) => {
      const endpoint = offered(name, READS, "execute_endpoint");
      return endpointResult(call, endpoint, await callEndpoint(call, endpoint, input));
    },
  }),
  tool({
    name: "execute_endpoint",
    title: "Change something through the API",
    description: `Calls an endpoint that changes something. If it moves money: ${MONEY_NOTE}`,
    calls: WRITES,
    input: endpointInput,
    run: async (call, { name, ...input }, confirmation) => {
      const endpoint = offered(name, WRITES, "read_endpoint");
      if (call.caller.environment.mode === "live" && SENDS_ELSEWHERE.has(name)) throw notForAssistants();
      if (name === updateSubscription.name && input.body?.payment_method_id !== undefined) throw chargesUnasked();
      if (movesMoney(endpoint)) return moveMoney(call, confirmation, endpoint, input);
      return endpointResult(call, endpoint, await callEndpoint(call, endpoint, input));
    },
  }),
];

/**
 * Prompt injection: text in a payment could make an assistant send customers' data elsewhere. Users must
 * re-authenticate for this, too.
 */
const notForAssistants = () =>
  new AppError(
    "permission_denied",
    "An assistant can't set where live events are sent. Nothing was done. Your user can do it in the dashboard, under Webhooks.",
  );

/** Another card is charged immediately for unpaid invoices, and this request has no idempotency key. */
const chargesUnasked = () =>
  new AppError(
    "permission_denied",
    "An assistant can't change a subscription's card, because unpaid invoices are charged to it at once. Nothing was done. Your user can do it in the dashboard, on the subscription's page.",
  );

function offered(name: string, among: readonly Endpoint[], otherTool?: string): Endpoint {
  const found = among.find((endpoint) => endpoint.name === name);
  if (found) return found;
  const other = otherTool !== undefined && OFFERED.some((endpoint) => endpoint.name === name);
  throw invalid(
    "name",
    other ? `Call that endpoint with ${otherTool}.` : "There is no such endpoint. Find one with search_endpoints.",
  );
}

const MEMBERS = [
  ...["payment_id", "id", "type", "status", "amount", "currency", "amount_captured", "amount_refunded"],
  ...["amount_refundable", "available_actions", "card_brand", "card_last4", "decline_code", "customer_id"],
  ...["customer_name", "customer_email", "description", "metadata", "created_at"],
] as const satisfies readonly (keyof Transaction)[];

const SUBSCRIPTION_MEMBERS = [
  ...["id", "status", "plan_id", "plan", "customer_id", "customer_email", "payment_method_id", "quantity", "currency"],
  ...["period", "trial_end_at", "cancel_at_period_end", "cancelled_at", "cancel_reason", "paused_at", "credit"],
  ...["latest_invoice_id", "next_invoice_at", "next_invoice_amount", "created_at"],
] as const satisfies readonly (keyof Subscription)[];

const INVOICE_MEMBERS = [
  ...["id", "number", "kind", "status", "subscription_id", "customer_id", "period", "total", "credit_used"],
  ...["amount_due", "amount_paid", "currency", "attempts", "next_attempt_at", "payment_ids", "paid_at", "created_at"],
] as const satisfies readonly (keyof Invoice)[];

const DISPUTE_MEMBERS = [
  ...["id", "payment_id", "customer_id", "amount", "currency", "reason", "status", "respond_by", "fee", "created_at"],
] as const satisfies readonly (keyof Dispute)[];

const METHOD_MEMBERS = [
  ...["id", "customer_id", "card", "status", "created_at"],
] as const satisfies readonly (keyof PaymentMethod)[];

async function findRows(
  call: Call,
  endpoint: Endpoint,
  given: Record<string, Scalar>,
  members: readonly string[],
): Promise<CallToolResult> {
  const response = await callEndpoint(call, endpoint, { query: { limit: 10, ...given } });
  if (response.status >= 400) return endpointResult(call, endpoint, response);
  const { data, has_more, total, total_capped } = response.data as { data: Record<string, unknown>[] } & Record<
    string,
    unknown
  >;
  const found = data.map((row) => Object.fromEntries(members.map((name) => [name, row[name]])));
  return dataResult({ found, has_more, total, total_capped });
}

async function cancelWhen(
  call: Call,
  { subscription_id: id, when, reason, refund }: { when: string; subscription_id: string } & CancelSubscriptionBody,
  confirmation: Confirmation,
): Promise<ToolResult> {
  if (when === "now") return moveMoney(call, confirmation, cancelSubscription, { id, body: { reason, refund } });
  if (reason !== null || refund !== "none")
    throw invalid("when", "reason and refund are for `when: now`. Leave them out, or cancel now.");
  const body = { cancel_at_period_end: true };
  return endpointResult(call, updateSubscription, await callEndpoint(call, updateSubscription, { id, body }));
}

async function explainDecline(call: Call, { id }: { id: string }): Promise<CallToolResult> {
  const endpoint = id.startsWith("txn_") ? getTransaction : getPayment;
  const response = await callEndpoint(call, endpoint, { id });
  if (response.status >= 400) return endpointResult(call, endpoint, response);
  const found = response.data as Payment | Transaction;
  const transaction = found.object === "payment" ? found.transactions[0] : found;
  if (!transaction) return endpointResult(call, endpoint, response);
  const { decline_code, avs_result, cvv_result, fraud_score, status } = transaction;
  const { meaning, say, advice } = decline_code
    ? DECLINE_GUIDE[decline_code]
    : { ...NOT_DECLINED[statusOf(status)], say: null };
  return dataResult({
    payment_id: transaction.payment_id,
    transaction_id: transaction.id,
    type: transaction.type,
    status: found.status,
    amount: transaction.amount,
    currency: transaction.currency,
    created_at: transaction.created_at,
    decline_code,
    meaning,
    tell_the_customer: say,
    advice,
    fraud_score,
    card_brand: transaction.card_brand,
    card_last4: transaction.card_last4,
    address_check: avs_result && { code: avs_result, meaning: AVS_RESULTS[avs_result] },
    security_code_check: cvv_result && { code: cvv_result, meaning: CVV_RESULTS[cvv_result] },
  });
}

const statusOf = (status: string) => (status === "FAILED" || status === "PENDING" ? status : "OTHER");
const NOT_DECLINED = {
  FAILED: {
    meaning: "The processor could not complete it. Nothing moved, and the issuer did not decline it.",
    advice: "Try again with a new payment.",
  },
  PENDING: {
    meaning: "The outcome is not known yet.",
    advice: "Check again in a moment. Don't create another payment until it is known.",
  },
  OTHER: { meaning: "It was not declined.", advice: "See its status." },
} as const;

const isVisible = ({ calls, reads }: ToolDefinition, { permissions }: Pick<Caller, "permissions">): boolean =>
  (calls === undefined || calls.some((endpoint) => isPermitted(endpoint, permissions))) &&
  (reads === undefined || isPermitted(reads, permissions));

/** Hints for clients, derived from the endpoints that a tool calls. */
function annotationsOf(title: string, calls: readonly Endpoint[] = []): Tool["annotations"] {
  const isReading = !calls.some(writes);
  return {
    title,
    readOnlyHint: isReading,
    destructiveHint: calls.some((endpoint) => endpoint.method === "DELETE" || movesMoney(endpoint)),
    idempotentHint: isReading,
    // Cards, banks and webhook servers are outside systems.
    openWorldHint: !isReading,
  };
}

const listed = new Map<string, Tool>();

/** The tools that a key can use. */
export const listTools = (caller: Pick<Caller, "permissions">): Tool[] =>
  TOOLS.filter((definition) => isVisible(definition, caller)).map((definition) => {
    const { name, title, description, input, shownInput = input, calls } = definition;
    const known = listed.get(name);
    if (known) return known;
    const inputSchema = { ...jsonSchema(shownInput), type: "object" as const };
    const made: Tool = { name, title, description, inputSchema, annotations: annotationsOf(title, calls) };
    listed.set(name, made);
    return made;
  });

/** Never throws: an error becomes a tool error in the format of /v1. Null for an unknown tool. */
export async function runTool(
  call: Call,
  name: string,
  input: unknown,
  confirmation: Confirmation,
): Promise<ToolResult | null> {
  const definition = TOOLS.find((each) => each.name === name);
  if (!definition) return null;
  try {
    return await definition.run(call, check(definition.input, input ?? {}) as never, confirmation);
  } catch (error) {
    return problemResult(call, toAppError(call.http.service, error, call.info));
  }
}
