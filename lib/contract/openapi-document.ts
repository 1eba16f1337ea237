/** The subset of OpenAPI 3.1 that this service writes and its reference pages read. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  additionalProperties?: boolean | JsonSchema;
  $defs?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
};

export type Ref = { $ref: string };
export type ExampleObject = { summary: string; value: unknown };
export type HeaderObject = { description: string; schema: JsonSchema };

export type ParameterObject = {
  name: string;
  in: "path" | "query" | "header";
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
};

type MediaObject = { schema: JsonSchema; examples?: Record<string, ExampleObject | Ref> };

export type ResponseObject = {
  description: string;
  headers?: Record<string, Ref>;
  content: Record<string, MediaObject>;
};

export type OperationObject = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: (ParameterObject | Ref)[];
  requestBody?: { description: string; required: boolean; content: Record<string, MediaObject> };
  responses: Record<string, ResponseObject>;
  /** The key needs any one of these. */
  "x-permissions": string[];
};

export type OpenApiDocument = {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, ParameterObject>;
    headers: Record<string, HeaderObject>;
    examples: Record<string, ExampleObject>;
    securitySchemes: Record<string, Record<string, string>>;
  };
};

/** Media type of uploads. */
export const FORM = "multipart/form-data";

/** Schema of a request's body: JSON, or a form with a file. */
export const bodyOf = ({ requestBody }: OperationObject): JsonSchema | undefined =>
  (requestBody?.content["application/json"] ?? requestBody?.content[FORM])?.schema;

/** Parameters of an endpoint, including the document's shared ones. */
export const parametersOf = ({ parameters = [] }: OperationObject, document: OpenApiDocument): ParameterObject[] =>
  parameters.map((parameter) =>
    "$ref" in parameter
      ? (document.components.parameters[parameter.$ref.split("/").at(-1) ?? ""] as ParameterObject)
      : parameter,
  );
