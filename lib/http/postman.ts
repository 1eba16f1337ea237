import type { Endpoint, Example } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { type EndpointName, EXAMPLES } from "@/lib/contract/examples";

type Parameter = { key: string; value: string; disabled?: true };
type PostmanRequest = {
  method: string;
  description: string;
  header: Parameter[];
  url: { raw: string; host: string[]; path: string[]; query?: Parameter[]; variable?: Parameter[] };
  body?:
    | { mode: "raw"; raw: string; options: { raw: { language: "json" } } }
    | { mode: "formdata"; formdata: { key: string; type: "file"; src: string[] }[] };
  auth?: { type: "noauth" };
};
type PostmanItem = {
  name: string;
  request: PostmanRequest;
  response: {
    name: string;
    originalRequest: PostmanRequest;
    status: string;
    code: number;
    header: Parameter[];
    body: string;
  }[];
};
type PostmanFolder = { name: string; item: PostmanItem[] };

/** The parts of a Postman collection, version 2.1, that ours has. */
export type PostmanCollection = {
  info: { name: string; description: string; schema: string };
  auth: { type: "apikey"; apikey: { key: string; value: string; type: "string" }[] };
  variable: { key: string; value: string; type: "string" }[];
  item: PostmanFolder[];
};

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const DESCRIPTION =
  "Every endpoint of the Cardlane API with an example. Set the variable `apiKey` to your test key. Requests that move money get a new `X-Idempotency-Key` each time you send them. To send the same request again, enter a key of your own.";

/** Every endpoint as a request for Postman, in a folder for each feature. */
export function buildPostmanCollection(baseUrl: string): PostmanCollection {
  const tags = [...new Set(ENDPOINTS.map(({ tag }) => tag))];
  const string = (key: string, value: string) => ({ key, value, type: "string" as const });
  return {
    info: { name: "Cardlane API", description: DESCRIPTION, schema: SCHEMA },
    auth: {
      type: "apikey",
      apikey: [string("key", "X-Api-Key"), string("value", "{{apiKey}}"), string("in", "header")],
    },
    variable: [string("baseUrl", baseUrl), string("apiKey", "")],
    item: tags.map((name) => ({ name, item: ENDPOINTS.filter(({ tag }) => tag === name).map(itemOf) })),
  };
}

function itemOf(endpoint: Endpoint): PostmanItem {
  const example: Example = EXAMPLES[endpoint.name as EndpointName];
  const request = requestOf(endpoint, example);
  const type = endpoint.streams ? "text/event-stream" : "application/json";
  return {
    name: endpoint.summary,
    request,
    response: Object.entries(example.responses).map(([name, body]) => ({
      name,
      originalRequest: request,
      status: endpoint.status === 201 ? "Created" : "OK",
      code: endpoint.status,
      header: [{ key: "Content-Type", value: type }],
      body: endpoint.streams ? `data: ${JSON.stringify(body)}\n\n` : JSON.stringify(body, null, 2),
    })),
  };
}

function requestOf(endpoint: Endpoint, example: Example): PostmanRequest {
  const path = endpoint.path.slice(1).replace("{id}", ":id").split("/");
  const query = Object.entries(example.query ?? {}).map(([key, value]) => ({ key, value }));
  const search = query.length > 0 ? `?${new URLSearchParams(example.query)}` : "";
  const header: Parameter[] = [];
  if (endpoint.body && !endpoint.takesFile) header.push({ key: "Content-Type", value: "application/json" });
  if (endpoint.idempotency === "required") header.push({ key: "X-Idempotency-Key", value: "{{$guid}}" });
  if (endpoint.idempotency === "optional") {
    header.push({ key: "X-Idempotency-Key", value: "{{$guid}}", disabled: true });
  }
  const permissions = endpoint.permissions.map((name) => `\`${name}\``).join(" or ");
  return {
    method: endpoint.method,
    description: permissions ? `${endpoint.description}\n\nNeeds the permission ${permissions}.` : endpoint.description,
    header,
    url: {
      raw: `{{baseUrl}}/${path.join("/")}${search}`,
      host: ["{{baseUrl}}"],
      path,
      ...(query.length > 0 && { query }),
      ...(example.id !== undefined && { variable: [{ key: "id", value: example.id }] }),
    },
    ...(endpoint.takesFile && { body: { mode: "formdata", formdata: [{ key: "file", type: "file", src: [] }] } }),
    ...(endpoint.body &&
      !endpoint.takesFile && {
        body: { mode: "raw", raw: JSON.stringify(example.body ?? {}, null, 2), options: { raw: { language: "json" } } },
      }),
    ...(endpoint.permissions.length === 0 && { auth: { type: "noauth" } }),
  };
}
