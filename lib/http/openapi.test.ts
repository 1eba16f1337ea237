import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Example } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ERRORS, problem } from "@/lib/contract/errors";
import { type EndpointName, EXAMPLES } from "@/lib/contract/examples";
import type { JsonSchema } from "@/lib/contract/openapi-document";
import { buildOpenApi } from "./openapi";
import { errorExample } from "./openapi-schemas";

const document = buildOpenApi({ baseUrl: "https://api.cardlane.dev", sandboxBaseUrl: null, liveBaseUrl: null });

type Described = { schema?: object; example?: unknown; examples?: Record<string, { $ref?: string; value?: unknown }> };
const passes = (schema: z.ZodType) => (text: string) => schema.safeParse(text).success;
const FORMATS = {
  "date-time": passes(z.iso.datetime({ offset: true })),
  date: passes(z.iso.date()),
  email: passes(z.email()),
  uri: passes(z.url()),
  uuid: passes(z.uuid()),
};

describe("the OpenAPI document", () => {
  it("has no errors or warnings under Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    const found = problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`);
    // Health probes have no 4xx response: no parameters, no key.
    expect(found.filter((text) => !text.startsWith("operation-4xx-response #/paths/~1health"))).toEqual([]);
  });

  it("has no errors or warnings under Spectral's OpenAPI rules", async () => {
    const spectral = new spectralCore.Spectral();
    // Disabled: it recompiles each schema and its references for every example, which takes most of the run.
    const rules = { "oas3-valid-media-example": "off" };
    spectral.setRuleset({ extends: [spectralRulesets.oas], rules } as never);
    const problems = await spectral.run(JSON.stringify(document));
    expect(problems.map(({ code, message, path }) => [code, message, path.join(".")])).toEqual([]);
  }, 120_000);

  it("has examples that match its own schemas", () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false, formats: FORMATS });
    ajv.addSchema(document, "document");
    const compiled = new Map<string, ValidateFunction>();
    let seen = 0;
    const faults: string[] = [];
    const visit = (node: unknown, pointer: string) => {
      if (typeof node !== "object" || node === null) return;
      const { schema, example, examples = {} } = node as Described;
      const named = Object.values(examples).map(({ $ref, value }) =>
        $ref ? document.components.examples[$ref.replace("#/components/examples/", "")]?.value : value,
      );
      const given = [...(example === undefined ? [] : [example]), ...named];
      if (schema && given.length > 0) {
        const key = JSON.stringify(schema);
        const isValid = compiled.get(key) ?? ajv.compile({ $ref: `document#${pointer}/schema` });
        compiled.set(key, isValid);
        for (const value of given) {
          seen++;
          if (!isValid(value)) faults.push(`${pointer}: ${ajv.errorsText(isValid.errors)}`);
        }
      }
      for (const [name, member] of Object.entries(node))
        visit(member, `${pointer}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
    };
    visit(document, "");
    expect(faults).toEqual([]);
    expect(seen).toBeGreaterThan(ENDPOINTS.length);
  });

  it("describes every operation once", () => {
    const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((item) => item.operationId));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(ENDPOINTS.map((endpoint) => endpoint.name)));
  });

  it("describes numbers in a query string as numbers", () => {
    for (const item of Object.values(document.paths).flatMap((path) => Object.values(path))) {
      for (const parameter of item.parameters ?? []) {
        if ("$ref" in parameter || !/^(limit|offset|.*_amount)$/.test(parameter.name)) continue;
        expect(parameter.schema).toMatchObject({ type: "integer" });
        expect(parameter.schema).not.toHaveProperty("pattern");
      }
    }
  });

  it("describes every parameter and every member", () => {
    const silent: string[] = [];
    const visit = (schema: JsonSchema, path: string) => {
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        if (!member.description && !OBVIOUS.has(name)) silent.push(`${path}.${name}`);
        visit(member, `${path}.${name}`);
      }
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name);
    for (const [path, item] of Object.entries(document.paths)) {
      for (const parameter of Object.values(item).flatMap((operation) => operation.parameters ?? [])) {
        if (!("$ref" in parameter) && !parameter.description) silent.push(`${path} ${parameter.name}`);
      }
    }
    expect(silent).toEqual([]);
  });
});

/** Members whose name and type are self-explanatory. */
const OBVIOUS = new Set(
  "line1 line2 city state postal_code brand last4 exp_month exp_year bin url gte lte field order".split(" "),
);

describe("the examples", () => {
  it.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))(
    "of %s pass the schemas that validate requests and responses",
    (name, endpoint) => {
      const example: Example = EXAMPLES[name as EndpointName];
      for (const response of Object.values(example.responses)) endpoint.response.parse(response);
      if (example.pending !== undefined) endpoint.response.parse(example.pending);
      if (endpoint.body) endpoint.body.parse(example.body);
      if (endpoint.query) endpoint.query.parse(example.query);
      expect(example.pending !== undefined).toBe(endpoint.idempotency === "required");
      expect(example.id !== undefined).toBe(endpoint.path.includes("{id}"));
    },
  );

  it.each(Object.keys(ERRORS) as (keyof typeof ERRORS)[])("of the error %s pass the problem schema", (code) => {
    const { value } = errorExample(code, "https://api.cardlane.dev/docs");
    expect(problem.strict().parse(value)).toEqual(value);
  });
});
