import { expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { buildPostmanCollection } from "./postman";

const collection = buildPostmanCollection("https://api.cardlane.example");
const items = collection.item.flatMap(({ item }) => item);

test("the Postman collection has every endpoint once, in a folder for its feature", () => {
  const addressOf = ({ request }: (typeof items)[number]) =>
    `${request.method} /${request.url.path.join("/").replace(":id", "{id}")}`;
  expect(items.map(addressOf).sort()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
  expect(collection.item.map(({ name }) => name)).toEqual([...new Set(ENDPOINTS.map(({ tag }) => tag))]);
});

test("the collection has version 2.1 and declares its variables; the API key is sent with every request", () => {
  expect(collection.info).toMatchObject({ name: "Cardlane API", schema: expect.stringContaining("/v2.1.0/") });
  expect(collection.variable).toEqual([
    { key: "baseUrl", value: "https://api.cardlane.example", type: "string" },
    { key: "apiKey", value: "", type: "string" },
  ]);
  expect(collection.auth.apikey).toContainEqual({ key: "value", value: "{{apiKey}}", type: "string" });
  const used = JSON.stringify(collection).match(/\{\{[^}]*\}\}/g);
  expect([...new Set(used)].sort()).toEqual(["{{$guid}}", "{{apiKey}}", "{{baseUrl}}"]);
});

test("every request is valid in the format, has an example body, and an idempotency key if it moves money", () => {
  for (const endpoint of ENDPOINTS) {
    const item = items.find(({ name }) => name === endpoint.summary);
    const { header, url, body } = item?.request ?? {};
    expect(url?.raw.split("?")[0], endpoint.name).toBe(["{{baseUrl}}", ...(url?.path ?? [])].join("/"));
    const key = header?.find((one) => one.key === "X-Idempotency-Key");
    const expected = { required: { key: "X-Idempotency-Key", value: "{{$guid}}" }, none: undefined };
    if (endpoint.idempotency === "optional") expect(key?.disabled).toBe(true);
    else expect(key).toEqual(expected[endpoint.idempotency]);
    expect(endpoint.path.includes("{id}")).toBe(url?.variable?.[0]?.value !== undefined);
    if (body?.mode === "formdata") expect(body.formdata, endpoint.name).toMatchObject([{ key: "file", type: "file" }]);
    else if (endpoint.body) endpoint.body.parse(JSON.parse(body?.raw ?? ""));
    for (const { code, header: sent, body: text, originalRequest } of item?.response ?? []) {
      expect([code, originalRequest, sent.length]).toEqual([endpoint.status, item?.request, 1]);
      if (!endpoint.streams) endpoint.response.parse(JSON.parse(text));
    }
  }
});
