import { type Endpoint, type Example, PENDING_STATUS } from "@/lib/contract/endpoint";
import { ENDPOINTS, health } from "@/lib/contract/endpoints";
import { ERROR_CODES, type ErrorCode, problem } from "@/lib/contract/errors";
import { type EndpointName, EXAMPLES } from "@/lib/contract/examples";
import {
  FORM,
  type JsonSchema,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type Ref,
} from "@/lib/contract/openapi-document";
import type { Service } from "@/lib/domain/context";
import { env } from "@/lib/env";
import {
  collectSchemas,
  errorCodesOf,
  errorExample,
  errorResponses,
  HEADERS,
  headersOf,
  type SchemaCollection,
  successResponse,
} from "./openapi-schemas";

export type BaseUrls = { baseUrl: string; sandboxBaseUrl: string | null; liveBaseUrl: string | null };

const DESCRIPTION = `Card payments: create, capture, void and refund; transactions, plans and client sessions.

Amounts are integers in minor units of their currency (4999 is 49.99 USD), times are ISO 8601 in UTC. Requests are strict: an unknown field is an error. Responses may gain fields without notice. Operations that move money take an \`X-Idempotency-Key\` and never run twice.`;

const TAGS = [
  { name: "Payments", description: "Charge a card; capture, void and refund by the payment's id." },
  {
    name: "Transactions",
    description: "Every charge and refund: get, list, search, and the same actions by transaction.",
  },
  { name: "Customers", description: "Your customers, built from their payments: nothing to create or sync." },
  { name: "Payment methods", description: "Cards that you keep for later payments of a customer." },
  {
    name: "Subscription plans",
    description: "What you sell: single purchases and subscriptions with or without a trial.",
  },
  { name: "Subscriptions", description: "What a customer pays again and again, on a stored card." },
  { name: "Invoices", description: "What a subscription owes for a period, a trial or a change." },
  { name: "Disputes", description: "Payments that the cardholder's bank questions or takes back." },
  {
    name: "Portal sessions",
    description: "A customer's own page: subscriptions, invoices, the card, and cancelling.",
  },
  { name: "Client sessions", description: "One shopper paying one amount, set by your server." },
  { name: "Events", description: "What happened, with the object at the time, as a list or a stream." },
  { name: "Webhooks", description: "Where events are sent and how each delivery went." },
  { name: "Reports", description: "Files for bookkeeping whose totals equal the ledger." },
  { name: "Test clock", description: "The sandbox's own time, which you can advance." },
  { name: "Balance", description: "Your balance, what changed it, and when it reaches your bank." },
  { name: "Service", description: "This document and the service's health." },
];

const IDEMPOTENCY_KEY: ParameterObject = {
  name: "X-Idempotency-Key",
  in: "header",
  required: true,
  description:
    "Any string of your own, a UUID for example. For 24 hours, a request with the same key never runs twice. `Idempotency-Key` is the same header.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "order-1001-payment",
};

const LAST_EVENT_ID: ParameterObject = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "The last `id` that the stream sent you; the stream continues after it.",
  schema: { type: "string" },
};

/** The OpenAPI 3.1 description of the API, made from the schemas that check its requests. */
export function buildOpenApi({ baseUrl, sandboxBaseUrl, liveBaseUrl }: BaseUrls): OpenApiDocument {
  const schemas = collectSchemas();
  const docsUrl = `${baseUrl}/docs`;
  const problemRef = schemas.of(problem, "output");
  const paths: OpenApiDocument["paths"] = {};
  const used = new Set<ErrorCode>(["database_unavailable"]);
  for (const endpoint of ENDPOINTS) {
    const codes = errorCodesOf(endpoint);
    for (const code of codes) used.add(code);
    const described = describeEndpoint(endpoint, codes, schemas, problemRef);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: described };
  }
  Object.assign(paths, healthPaths(schemas, problemRef));
  return {
    openapi: "3.1.1",
    info: {
      title: "Cardlane API",
      version: "1.0.0",
      summary: "Card payments over HTTP",
      description: DESCRIPTION,
      contact: { name: "Cardlane documentation", url: docsUrl },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: servers({ baseUrl, sandboxBaseUrl, liveBaseUrl }),
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths,
    components: {
      schemas: schemas.components,
      parameters: {
        IdempotencyKey: IDEMPOTENCY_KEY,
        OptionalIdempotencyKey: { ...IDEMPOTENCY_KEY, required: false },
      },
      headers: HEADERS,
      examples: Object.fromEntries(
        ERROR_CODES.filter((code) => used.has(code)).map((code) => [code, errorExample(code, docsUrl)]),
      ),
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-Api-Key",
          description: "`sk_test_…` in test mode, `sk_live_…` in live mode. Keep it on your server.",
        },
      },
    },
  };
}

function servers({ baseUrl, sandboxBaseUrl, liveBaseUrl }: BaseUrls): OpenApiDocument["servers"] {
  if (!sandboxBaseUrl && !liveBaseUrl) {
    return [{ url: baseUrl, description: "Test and live mode: the API key decides." }];
  }
  return [
    { url: sandboxBaseUrl ?? baseUrl, description: "Test mode, for keys that start with `sk_test_`." },
    { url: liveBaseUrl ?? baseUrl, description: "Live mode, for keys that start with `sk_live_`." },
  ];
}

function describeEndpoint(
  endpoint: Endpoint,
  codes: readonly ErrorCode[],
  schemas: SchemaCollection,
  problemRef: JsonSchema,
): OperationObject {
  const example: Example = EXAMPLES[endpoint.name as EndpointName];
  const { always, stored } = headersOf(endpoint);
  const response = schemas.of(endpoint.response, "output");
  const needs = endpoint.permissions.map((name) => `\`${name}\``).join(" or ");
  const parameters = parametersOf(endpoint, example, schemas);
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: needs ? `${endpoint.description}\n\nNeeds the permission ${needs}.` : endpoint.description,
    tags: [endpoint.tag],
    security: needs ? [{ apiKey: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        description: endpoint.bodyOptional ? "Optional." : "What to create or change.",
        required: !endpoint.bodyOptional,
        content: endpoint.takesFile
          ? { [FORM]: { schema: FILE_FORM } }
          : {
              "application/json": {
                schema: schemas.of(endpoint.body, "input"),
                examples: { request: { summary: endpoint.summary, value: example.body ?? {} } },
              },
            },
      },
    }),
    responses: {
      [endpoint.status]: successResponse(
        endpoint.streams ? "One after another, until you close the connection." : SUCCESS[endpoint.status],
        response,
        example.responses,
        stored,
        endpoint.streams && "text/event-stream",
      ),
      ...(example.pending !== undefined && {
        [PENDING_STATUS]: successResponse(
          "The outcome is not known yet: send the same request with the same key, or get the object, until it is.",
          response,
          { "Outcome unknown": example.pending },
          always,
        ),
      }),
      ...errorResponses(codes, problemRef, always),
    },
    "x-permissions": [...endpoint.permissions],
  };
}

const FILE_FORM: JsonSchema = {
  type: "object",
  properties: {
    file: { type: "string", format: "binary", description: "A PDF, PNG or JPEG file of at most 5 MB, with its name." },
  },
  required: ["file"],
  additionalProperties: false,
};

const SUCCESS = { 200: "Done.", 201: "Created.", 202: "Started." } as const;

function parametersOf(endpoint: Endpoint, example: Example, schemas: SchemaCollection): (ParameterObject | Ref)[] {
  const parameters: (ParameterObject | Ref)[] = [];
  if (endpoint.path.includes("{id}")) {
    parameters.push({
      name: "id",
      in: "path",
      required: true,
      description: `Id of the ${ID_OF[endpoint.tag]}.`,
      schema: { type: "string" },
      example: example.id,
    });
  }
  if (endpoint.idempotency !== "none") {
    const name =
      endpoint.idempotency === "required" && !endpoint.keyMayBeAbsent ? "IdempotencyKey" : "OptionalIdempotencyKey";
    parameters.push({ $ref: `#/components/parameters/${name}` });
  }
  if (endpoint.streams) parameters.push(LAST_EVENT_ID);
  if (!endpoint.query) return parameters;
  const query = schemas.of(endpoint.query, "input");
  for (const [name, { description = "", ...schema }] of Object.entries(query.properties ?? {})) {
    parameters.push({ name, in: "query", required: query.required?.includes(name) ?? false, description, schema });
  }
  return parameters;
}

const ID_OF: Record<Endpoint["tag"], string> = {
  Payments: "payment (`pay_…`)",
  Transactions: "transaction (`txn_…`)",
  Customers: "customer (`cust_…`)",
  "Payment methods": "payment method (`pm_…`)",
  "Subscription plans": "plan (`plan_…`)",
  Subscriptions: "subscription (`sub_…`)",
  Invoices: "invoice (`inv_…`)",
  Disputes: "dispute (`dp_…`) or file (`file_…`)",
  "Portal sessions": "object",
  "Client sessions": "client session (`cs_…`)",
  Events: "event (`evt_…`)",
  Webhooks: "webhook endpoint (`we_…`) or delivery (`whd_…`)",
  Balance: "payout (`po_…`) or settlement batch (`batch_…`)",
  Reports: "report (`rep_…`)",
  "Test clock": "object",
  Service: "object",
};

/** The probes of load balancers and orchestrators; they are not part of /v1 and need no key. */
function healthPaths(schemas: SchemaCollection, problemRef: JsonSchema): OpenApiDocument["paths"] {
  const schema = schemas.of(health, "output");
  const probe = (operationId: string, summary: string, description: string, status: "live" | "ready") => ({
    get: {
      operationId,
      summary,
      description,
      tags: ["Service"],
      security: [],
      responses: {
        200: successResponse("It is.", schema, { [status]: { status } }, ["X-Request-Id"]),
        ...(status === "ready" && errorResponses(["database_unavailable"], problemRef, ["X-Request-Id"])),
      },
      "x-permissions": [],
    },
  });
  return {
    "/health": probe("getHealth", "Check the service", "Whether requests can be served now.", "ready"),
    "/health/live": probe("getLiveness", "Check that the process runs", "Restart the process when this fails.", "live"),
    "/health/ready": probe("getReadiness", "Check readiness", "Send no requests here while this fails.", "ready"),
  };
}

let bytes: Buffer | null = null;

/**
 * The OpenAPI document as bytes. Rendered once, because it depends only on the configuration; a string would
 * be encoded again for each response.
 */
export function openApiBytes(service: Service): Buffer {
  bytes ??= Buffer.from(
    JSON.stringify(
      buildOpenApi({ baseUrl: service.baseUrl, sandboxBaseUrl: env.sandboxBaseUrl, liveBaseUrl: env.liveBaseUrl }),
    ),
  );
  return bytes;
}
