import { z } from "zod";
import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { dispute, disputeList, listDisputesQuery, updateDisputeBody } from "./dispute";
import { MAX_FILE_BYTES } from "./evidence";
import { createFileBody, file } from "./file";

export const listDisputes = endpoint({
  name: "listDisputes",
  list: true,
  method: "GET",
  path: "/v1/disputes",
  tag: "Disputes",
  summary: "List disputes",
  description: "Disputes by the time when Cardlane learned of them, latest first.",
  permissions: ["dispute.read"],
  idempotency: "none",
  query: listDisputesQuery,
  status: 200,
  response: disputeList,
  errors: QUERY_ERRORS,
});

export const getDispute = endpoint({
  name: "getDispute",
  method: "GET",
  path: "/v1/disputes/{id}",
  tag: "Disputes",
  summary: "Get a dispute",
  description: "One dispute.",
  permissions: ["dispute.read"],
  idempotency: "none",
  status: 200,
  response: dispute,
  errors: ["resource_not_found"],
});

export const updateDispute = endpoint({
  name: "updateDispute",
  method: "PATCH",
  path: "/v1/disputes/{id}",
  tag: "Disputes",
  summary: "Save evidence",
  description:
    "Saves evidence as a draft, while the dispute is NEEDS_RESPONSE. Nothing reaches the bank before you submit it.",
  permissions: ["dispute.write"],
  idempotency: "optional",
  body: updateDisputeBody,
  maxBodyBytes: 512 * 1024,
  status: 200,
  response: dispute,
  errors: [
    ...BODY_ERRORS,
    ...IDEMPOTENCY_ERRORS,
    "resource_not_found",
    "invalid_state",
    "outcome_pending",
    "processor_refused",
  ],
});

const RESPONDING = [
  ...BODY_ERRORS,
  "idempotency_key_invalid",
  ...IDEMPOTENCY_ERRORS,
  "resource_not_found",
  "invalid_state",
  "outcome_pending",
  "processor_refused",
  "processor_not_configured",
] as const;

export const submitDispute = endpoint({
  name: "submitDispute",
  method: "POST",
  path: "/v1/disputes/{id}/submit",
  tag: "Disputes",
  summary: "Submit evidence",
  description:
    "Sends the saved evidence to the cardholder's bank, which then decides. It can be sent once, and not changed afterwards.",
  permissions: ["dispute.write"],
  idempotency: "required",
  keyMayBeAbsent: true,
  movesMoney: true,
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: dispute,
  errors: RESPONDING,
});

export const acceptDispute = endpoint({
  name: "acceptDispute",
  method: "POST",
  path: "/v1/disputes/{id}/accept",
  tag: "Disputes",
  summary: "Accept a dispute",
  description: "Gives the amount up, and the fee if there is one. This can't be undone.",
  permissions: ["dispute.write"],
  idempotency: "required",
  keyMayBeAbsent: true,
  movesMoney: true,
  body: z.strictObject({}),
  bodyOptional: true,
  status: 200,
  response: dispute,
  errors: RESPONDING,
});

export const createFile = endpoint({
  name: "createFile",
  method: "POST",
  path: "/v1/files",
  tag: "Disputes",
  summary: "Upload a file",
  description:
    "Uploads a PDF, PNG or JPEG file of at most 5 MB as `multipart/form-data`, for a dispute's `evidence.files`. A file that is not used for a day is removed; one of a dispute, 180 days after the dispute ends (7 in the sandbox).",
  permissions: ["dispute.write"],
  idempotency: "optional",
  body: createFileBody,
  takesFile: true,
  // The parts' headers and boundaries come on top of the file.
  maxBodyBytes: MAX_FILE_BYTES + 16 * 1024,
  status: 201,
  response: file,
  errors: [
    "invalid_parameter",
    "missing_parameter",
    "unknown_parameter",
    "idempotency_key_invalid",
    ...IDEMPOTENCY_ERRORS,
    "body_too_large",
    "unsupported_media_type",
  ],
});

export const getFile = endpoint({
  name: "getFile",
  method: "GET",
  path: "/v1/files/{id}",
  tag: "Disputes",
  summary: "Get a file",
  description: "A file's name, type and size.",
  permissions: ["dispute.read"],
  idempotency: "none",
  status: 200,
  response: file,
  errors: ["resource_not_found"],
});
