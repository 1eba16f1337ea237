import { z } from "zod";
import { operation } from "@/lib/contract/operation";

export const health = z
  .object({ status: z.enum(["live", "ready"]).describe("`live`: the process runs. `ready`: it can serve requests.") })
  .meta({ id: "Health" });

export const getOpenApi = operation({
  name: "getOpenApi",
  method: "GET",
  path: "/v1/openapi.json",
  tag: "Service",
  summary: "Get this document",
  description: "The OpenAPI 3.1 description of this API, made from the same schemas that check requests.",
  permissions: [],
  idempotency: "none",
  status: 200,
  response: z.record(z.string(), z.unknown()),
  errors: ["rate_limited"],
});
