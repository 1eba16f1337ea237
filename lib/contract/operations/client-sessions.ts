import { z } from "zod";
import { clientSession, createClientSessionBody } from "@/lib/contract/client-session";
import { operation } from "@/lib/contract/operation";
import { BODY_ERRORS, IDEMPOTENCY_ERRORS } from "./error-groups";

export const createClientSession = operation({
  name: "createClientSession",
  method: "POST",
  path: "/v1/client-sessions",
  tag: "Client sessions",
  summary: "Create a client session",
  description:
    "Opens a session in which one shopper pays one amount, set here by your server and never by the browser. Valid for 24 hours, five attempts, one successful payment.",
  permissions: ["client_session.create"],
  idempotency: "optional",
  body: createClientSessionBody,
  status: 201,
  response: clientSession,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "currency_not_supported", "plan_not_active"],
});

export const getClientSession = operation({
  name: "getClientSession",
  method: "GET",
  path: "/v1/client-sessions/{id}",
  tag: "Client sessions",
  summary: "Get a client session",
  description: "The session as it stands; its token is never shown again.",
  permissions: ["client_session.create"],
  idempotency: "none",
  status: 200,
  response: clientSession,
  errors: ["resource_not_found"],
});

export const cancelClientSession = operation({
  name: "cancelClientSession",
  method: "POST",
  path: "/v1/client-sessions/{id}/cancel",
  tag: "Client sessions",
  summary: "Cancel a client session",
  description:
    "Closes an open session: it takes no more attempts. An unanswered 3-D Secure challenge ends as abandoned; while a payment's outcome is not known the answer is 409.",
  permissions: ["client_session.create"],
  idempotency: "none",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: clientSession,
  errors: [...BODY_ERRORS, "resource_not_found", "invalid_state", "outcome_pending"],
});
