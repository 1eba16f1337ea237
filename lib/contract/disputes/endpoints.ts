import { endpoint, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { dispute, disputeList, listDisputesQuery } from "./dispute";

export const listDisputes = endpoint({
  name: "listDisputes",
  list: true,
  method: "GET",
  path: "/v1/disputes",
  tag: "Disputes",
  summary: "List disputes",
  description: "The latest that Cardlane learned of first.",
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
