import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { createPaymentMethodBody, listPaymentMethodsQuery, paymentMethod, paymentMethodList } from "./payment-method";

export const createPaymentMethod = endpoint({
  name: "createPaymentMethod",
  method: "POST",
  path: "/v1/payment-methods",
  tag: "Payment methods",
  summary: "Store a card",
  description:
    "Checks the card with its issuer, charges nothing, and stores it at the processor for later payments of this customer. Returns 402 when the card is declined, and stores nothing then. Send a key, so that a retry after a lost response stores the card once.",
  permissions: ["payment_method.write"],
  idempotency: "optional",
  body: createPaymentMethodBody,
  status: 201,
  response: paymentMethod,
  errors: [
    ...BODY_ERRORS,
    "idempotency_key_invalid",
    ...IDEMPOTENCY_ERRORS,
    "card_declined",
    "resource_not_found",
    "processor_not_configured",
    "processor_refused",
  ],
});

export const listPaymentMethods = endpoint({
  name: "listPaymentMethods",
  list: true,
  method: "GET",
  path: "/v1/payment-methods",
  tag: "Payment methods",
  summary: "List payment methods",
  description: "Newest first, removed ones included.",
  permissions: ["payment_method.read"],
  idempotency: "none",
  query: listPaymentMethodsQuery,
  status: 200,
  response: paymentMethodList,
  errors: QUERY_ERRORS,
});

export const getPaymentMethod = endpoint({
  name: "getPaymentMethod",
  method: "GET",
  path: "/v1/payment-methods/{id}",
  tag: "Payment methods",
  summary: "Get a payment method",
  description: "One payment method.",
  permissions: ["payment_method.read"],
  idempotency: "none",
  status: 200,
  response: paymentMethod,
  errors: ["resource_not_found"],
});

export const removePaymentMethod = endpoint({
  name: "removePaymentMethod",
  method: "DELETE",
  path: "/v1/payment-methods/{id}",
  tag: "Payment methods",
  summary: "Remove a payment method",
  description:
    "The card is never charged again, and the processor deletes it. Returns the payment method with the status `REMOVED`; removing it again changes nothing.",
  permissions: ["payment_method.write"],
  idempotency: "optional",
  status: 200,
  response: paymentMethod,
  errors: ["idempotency_key_invalid", ...IDEMPOTENCY_ERRORS, "resource_not_found", "invalid_state"],
});
