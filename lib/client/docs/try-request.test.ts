import { afterEach, describe, expect, it, test, vi } from "vitest";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { buildOpenApi } from "@/lib/http/openapi";
import {
  exampleBody,
  findEndpoint,
  permissionsIn,
  requestOf,
  sandboxElsewhere,
  sendRequest,
  type TriedResponse,
} from "./try-request";

const BASE = { baseUrl: "https://pay.example", sandboxBaseUrl: null, liveBaseUrl: null };
const document = buildOpenApi(BASE);
const problemsOf = (name: string, parameters: Record<string, string>, body = "") => {
  const made = requestOf(findEndpoint(document, name), { parameters, body });
  return "problems" in made ? made.problems : {};
};

afterEach(() => void vi.unstubAllGlobals());

test("every endpoint's form has an example body that its own schema accepts", () => {
  // The form takes no files, and isn't shown for uploads.
  const tried: Endpoint[] = ENDPOINTS.filter(({ takesFile }) => !takesFile);
  for (const { name, method, path, body, idempotency, keyMayBeAbsent = false } of tried) {
    const endpoint = findEndpoint(document, name);
    expect([endpoint.method, endpoint.path]).toEqual([method, path]);
    const text = exampleBody(endpoint);
    if (body) expect(body.safeParse(JSON.parse(text)).error, name).toBeUndefined();
    const parameters = Object.fromEntries(endpoint.parameters.map((one) => [one.name, one.required ? "x" : ""]));
    const made = requestOf(endpoint, { parameters, body: text });
    if ("problems" in made) expect.fail(`${name}: ${JSON.stringify(made.problems)}`);
    expect(made.request.url).toBe(path.replace("{id}", "x"));
    expect("X-Idempotency-Key" in made.request.headers).toBe(idempotency === "required" && !keyMayBeAbsent);
  }
});

test("a new key has the permissions that the endpoints require, and only those that a key can have", () => {
  expect(permissionsIn(document).toSorted()).toEqual([...PERMISSIONS].toSorted());
});

describe("a request", () => {
  it("reports missing and invalid values", () => {
    expect(problemsOf("capturePayment", { id: " " }, '{"amount": 4999')).toEqual({
      id: "id is required.",
      "X-Idempotency-Key": "X-Idempotency-Key is required.",
      body: expect.stringMatching(/^This is not valid JSON: .+\.$/),
    });
    expect(problemsOf("createPayment", { "X-Idempotency-Key": "käse" }, " ")).toEqual({
      "X-Idempotency-Key": "A header takes visible ASCII characters, with spaces only between them.",
      body: "This endpoint needs a body.",
    });
    expect(problemsOf("refundPayment", { id: "pay_1", "X-Idempotency-Key": "k" })).toEqual({});
  });

  it("stays at its endpoint whatever is typed", () => {
    const endpoint = findEndpoint(document, "getPayment");
    const made = requestOf(endpoint, { parameters: { id: "../keys?x=1#y" }, body: "" });
    expect(made).toMatchObject({ request: { url: "/v1/payments/..%2Fkeys%3Fx%3D1%23y", body: null } });
    const listed = requestOf(findEndpoint(document, "listPayments"), { parameters: { limit: "5&x=1" }, body: "" });
    expect(listed).toMatchObject({ request: { url: "/v1/payments?limit=5%26x%3D1" } });
  });
});

test("sandbox requests go to the sandbox's address if live keys have another", () => {
  expect(sandboxElsewhere(document, "pay.example")).toBeNull();
  const [sandboxBaseUrl, liveBaseUrl] = ["https://sandbox.pay.example", "https://pay.example"];
  const apart = buildOpenApi({ ...BASE, sandboxBaseUrl, liveBaseUrl });
  expect(sandboxElsewhere(apart, "pay.example")).toBe(sandboxBaseUrl);
  for (const host of ["sandbox.pay.example", "dashboard.pay.example"]) expect(sandboxElsewhere(apart, host)).toBeNull();
});

describe("a response", () => {
  const request = { method: "GET", url: "/v1/payments", headers: {}, body: null };
  const shown = async (response: Response) => {
    const sent = vi.fn(async (_url: string, _init: RequestInit) => response);
    vi.stubGlobal("fetch", sent);
    const answers: TriedResponse[] = [];
    await sendRequest(request, "sk_test_x", (answer) => answers.push(answer), new AbortController().signal);
    return { answers, init: sent.mock.calls[0]?.[1] as RequestInit };
  };

  it("is requested with the key in a header and without cookies", async () => {
    const { init } = await shown(Response.json({}));
    expect(init).toMatchObject({ credentials: "omit", headers: { "X-Api-Key": "sk_test_x" } });
  });

  it("shows status, headers and indented JSON, and refusals unchanged", async () => {
    const headers = { "X-Request-Id": "req_1", "Idempotent-Replayed": "true", "X-Other": "1" };
    const { answers } = await shown(Response.json({ code: "card_declined" }, { status: 402, headers }));
    expect(answers.at(-1)).toMatchObject({
      status: 402,
      isOpen: false,
      body: '{\n  "code": "card_declined"\n}',
      headers: [
        ["X-Request-Id", "req_1"],
        ["Idempotent-Replayed", "true"],
      ],
    });
  });

  it("shows a stream as it arrives, up to the page's limit", async () => {
    const pieces = ["data: 1\n\n", `data: ${"2".repeat(300_000)}`];
    const body = new ReadableStream({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) return new Promise<void>(() => {});
        controller.enqueue(new TextEncoder().encode(piece));
        return undefined;
      },
    });
    const { answers } = await shown(new Response(body));
    expect(answers[0]).toMatchObject({ isOpen: true, body: "data: 1\n\n" });
    expect(answers.at(-1)?.body).toMatch(/… The rest is too long to show\.$/);
  });
});
