import { z } from "zod";
import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS, MONEY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { invoice, invoiceList, listInvoicesQuery, payInvoiceBody } from "./invoice";

export const listInvoices = endpoint({
  name: "listInvoices",
  list: true,
  method: "GET",
  path: "/v1/invoices",
  tag: "Invoices",
  summary: "List invoices",
  description: "Newest first.",
  permissions: ["invoice.read"],
  idempotency: "none",
  query: listInvoicesQuery,
  status: 200,
  response: invoiceList,
  errors: QUERY_ERRORS,
});

export const getInvoice = endpoint({
  name: "getInvoice",
  method: "GET",
  path: "/v1/invoices/{id}",
  tag: "Invoices",
  summary: "Get an invoice",
  description: "One invoice.",
  permissions: ["invoice.read"],
  idempotency: "none",
  status: 200,
  response: invoice,
  errors: ["resource_not_found"],
});

export const payInvoice = endpoint({
  name: "payInvoice",
  method: "POST",
  path: "/v1/invoices/{id}/pay",
  tag: "Invoices",
  summary: "Pay an invoice",
  description: "Charges an OPEN invoice now. A decline is 402 and uses up none of the planned attempts.",
  permissions: ["invoice.write"],
  idempotency: "required",
  movesMoney: true,
  body: payInvoiceBody,
  bodyOptional: true,
  status: 200,
  response: invoice,
  errors: [
    ...MONEY_ERRORS,
    ...(["resource_not_found", "invalid_state", "card_declined", "payment_failed"] as const),
    ...(["processor_refused", "processor_not_configured", "outcome_pending"] as const),
  ],
});

export const voidInvoice = endpoint({
  name: "voidInvoice",
  method: "POST",
  path: "/v1/invoices/{id}/void",
  tag: "Invoices",
  summary: "Void an invoice",
  description:
    "Nothing is owed for it anymore, and no payment is attempted. Credit that it used returns to the subscription.",
  permissions: ["invoice.write"],
  idempotency: "optional",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: invoice,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "invalid_state", "outcome_pending"],
});

export const markInvoiceUncollectible = endpoint({
  ...voidInvoice,
  name: "markInvoiceUncollectible",
  path: "/v1/invoices/{id}/mark-uncollectible",
  summary: "Mark an invoice as uncollectible",
  description: "It stays owed, but no payment is attempted anymore.",
});
