import Link from "next/link";
import { CodeBlock, curl } from "@/components/docs/code";
import { RichText } from "@/components/docs/prose";
import {
  bodyOf,
  type ExampleObject,
  FORM,
  type JsonSchema,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  parametersOf,
  type Ref,
  type ResponseObject,
} from "@/lib/contract/openapi-document";
import { TryIt } from "../try/try-it";
import { describeSchema, Member, MemberList, refName, type Schemas } from "./member-list";

export type EndpointEntry = { method: string; path: string; endpoint: OperationObject };

type EndpointSectionProps = {
  entry: EndpointEntry;
  document: OpenApiDocument;
  /** For a list: the query of the example request. */
  query: Record<string, string> | undefined;
};

const ERROR_TYPE = "application/problem+json";

export function EndpointSection({ entry: { method, path, endpoint }, document, query }: EndpointSectionProps) {
  const { schemas } = document.components;
  const parameters = parametersOf(endpoint, document);
  const responses = Object.entries(endpoint.responses);
  const isRefusal = ({ content }: ResponseObject) => ERROR_TYPE in content;
  const successes = responses.filter(([, response]) => !isRefusal(response));
  const errors = responses.filter(([, response]) => isRefusal(response));
  const [description = ""] = endpoint.description.split("\n\n");
  return (
    <section className="grid gap-x-12 gap-y-6 border-t py-10 xl:grid-cols-2" aria-labelledby={endpoint.operationId}>
      <div className="min-w-0">
        <h3 id={endpoint.operationId} className="font-semibold text-base">
          {endpoint.summary}
        </h3>
        <p className="mt-1.5 flex flex-wrap items-baseline gap-x-2 font-mono text-[13px]">
          <MethodBadge method={method} />
          <span className="break-all">{path}</span>
        </p>
        <p className="mt-3 leading-relaxed">
          <RichText text={description} />
        </p>
        <Permissions names={endpoint["x-permissions"]} />
        <Parameters endpoint={endpoint.operationId} parameters={parameters} schemas={schemas} />
        <Body endpoint={endpoint} schemas={schemas} />
        <Responses successes={successes} schemas={schemas} />
        <ErrorList responses={errors} />
      </div>
      <div className="min-w-0 space-y-4 self-start xl:sticky xl:top-16">
        <Examples
          entry={{ method, path, endpoint }}
          document={document}
          query={query}
          successes={successes}
          parameters={parameters}
        />
      </div>
    </section>
  );
}

const Heading = ({ children }: { children: string }) => (
  <h4 className="mt-6 mb-2 font-medium text-[13px]">{children}</h4>
);

function Permissions({ names }: { names: readonly string[] }) {
  return (
    <p className="mt-3 text-[13px] text-soft">
      {names.length === 0 ? "Needs no key." : "Permission: "}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && " or "}
          <code className="tick text-ink">{name}</code>
        </span>
      ))}
    </p>
  );
}

const KINDS = [
  { kind: "path", heading: "Path" },
  { kind: "header", heading: "Header" },
  { kind: "query", heading: "Query" },
] as const;

type ParametersProps = { endpoint: string; parameters: readonly ParameterObject[]; schemas: Schemas };

function Parameters({ endpoint, parameters, schemas }: ParametersProps) {
  return KINDS.map(({ kind, heading }) => {
    const group = parameters.filter((parameter) => parameter.in === kind);
    if (group.length === 0) return null;
    return (
      <div key={kind}>
        <Heading>{heading}</Heading>
        <ul className="divide-y border-y">
          {group.map(({ name, description, required = false, schema }) => (
            <Member
              key={name}
              name={name}
              member={{ ...schema, description }}
              required={required}
              schemas={schemas}
              kind="request"
              endpoint={endpoint}
            />
          ))}
        </ul>
      </div>
    );
  });
}

function Body({ endpoint, schemas }: { endpoint: OperationObject; schemas: Schemas }) {
  const schema = bodyOf(endpoint);
  const resolved = schema && (schemas[refName(schema) ?? ""] ?? schema);
  if (!resolved || Object.keys(resolved.properties ?? {}).length === 0) return null;
  return (
    <>
      <Heading>{endpoint.requestBody?.required ? "Body" : "Body, optional"}</Heading>
      <MemberList schema={resolved} schemas={schemas} kind="request" endpoint={endpoint.operationId} />
    </>
  );
}

/** Content of a successful response: JSON or an event stream. */
const successOf = (content: ResponseObject["content"]) =>
  content["application/json"] ?? content["text/event-stream"] ?? { schema: {} };

function Responses({ successes, schemas }: { successes: [string, ResponseObject][]; schemas: Schemas }) {
  return (
    <>
      <Heading>Response</Heading>
      <ul className="space-y-1 text-[13px]">
        {successes.map(([status, { description, content }]) => (
          <li key={status}>
            <code className="font-mono text-green">{status}</code>{" "}
            <ResponseType response={successOf(content).schema} schemas={schemas} />{" "}
            <span className="text-soft">{description}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function ResponseType({ response, schemas }: { response: JsonSchema; schemas: Schemas }) {
  const name = refName(response);
  const { link } = describeSchema(response, schemas);
  const listed = name === null ? undefined : schemas[name]?.properties?.data;
  const target = link ?? (listed ? describeSchema(listed, schemas).link : null);
  if (target === null) return null;
  return (
    <>
      <Link href={`#${target}`} className="text-accent underline underline-offset-2">
        {listed ? `List of ${target} objects` : target}
      </Link>
      .
    </>
  );
}

type ExamplesProps = EndpointSectionProps & {
  successes: [string, ResponseObject][];
  parameters: readonly ParameterObject[];
};

function Examples({ entry: { method, path, endpoint }, document, query, successes, parameters }: ExamplesProps) {
  const server = path.startsWith("/v1") ? document.servers[0]?.url : document.servers.at(-1)?.url;
  const id = parameters.find((parameter) => parameter.in === "path")?.example;
  const key = parameters.find((parameter) => parameter.in === "header" && parameter.required);
  const example = endpoint.requestBody?.content["application/json"]?.examples?.request;
  const body = example && "value" in example ? example.value : undefined;
  const search = query ? `?${new URLSearchParams(query)}` : "";
  const takesFile = endpoint.requestBody?.content[FORM] !== undefined;
  const request = curl({
    method: method.toUpperCase(),
    url: `${server}${path.replace("{id}", String(id))}${search}`,
    withApiKey: endpoint.security.length > 0,
    ...(key && { idempotencyKey: `order-1001-${endpoint.operationId.replace(/[A-Z].*/, "")}` }),
    ...(isFilled(body) && { body }),
    ...(takesFile && { file: "delivery-note.pdf" }),
  });
  return (
    <>
      <CodeBlock title={`Request: ${endpoint.summary.toLowerCase()}`} language="sh" code={request} />
      {!takesFile && <TryIt endpoint={endpoint.operationId} summary={endpoint.summary} />}
      {successes.flatMap(([status, { content }]) =>
        Object.entries(successOf(content).examples ?? {}).map(([name, shown], index) => (
          <ResponseExamples
            key={`${status} ${name}`}
            status={status}
            shown={shown}
            of={endpoint.summary}
            open={index === 0 && status !== "202"}
          />
        )),
      )}
    </>
  );
}

const isFilled = (body: unknown) => typeof body === "object" && body !== null && Object.keys(body).length > 0;

function ResponseExamples({
  status,
  shown,
  of,
  open,
}: {
  status: string;
  shown: ExampleObject | Ref;
  of: string;
  open: boolean;
}) {
  if (!("value" in shown)) return null;
  const title = `${status}: ${shown.summary}`;
  const block = (
    <CodeBlock
      title={`${title} (${of.toLowerCase()})`}
      language="json"
      code={JSON.stringify(shown.value, null, 2)}
      tall
    />
  );
  if (open) return block;
  return (
    <details>
      <summary className="text-[13px] text-soft">{title}</summary>
      <div className="mt-2">{block}</div>
    </details>
  );
}

/** The error codes of an endpoint by status, each a link to its page. */
function ErrorList({ responses }: { responses: [string, ResponseObject][] }) {
  if (responses.length === 0) return null;
  return (
    <>
      <h4 className="mt-6 mb-2 font-medium text-[13px]">Errors</h4>
      <dl className="space-y-1 text-xs">
        {responses.map(([status, { content }]) => (
          <div key={status} className="flex gap-3">
            <dt className="py-1 font-mono text-red">{status}</dt>
            <dd className="flex flex-wrap gap-x-3">
              {Object.keys(content["application/problem+json"]?.examples ?? {}).map((code) => (
                <Link
                  key={code}
                  href={`/docs/errors/${code}`}
                  prefetch={false}
                  className="py-1 font-mono text-soft underline-offset-2 hover:text-ink hover:underline"
                >
                  {code}
                </Link>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** All endpoints on one screen, grouped by tag. */
export function OperationIndex({ tags }: { tags: readonly { name: string; entries: readonly EndpointEntry[] }[] }) {
  return (
    <div className="mt-8 gap-x-12 text-[13px] md:columns-2">
      {tags.map(({ name, entries }) => (
        <div key={name} className="mb-6 break-inside-avoid">
          <p className="mb-1 font-medium">{name}</p>
          <ul className="divide-y border-y">
            {entries.map(({ method, path, endpoint }) => (
              <li key={endpoint.operationId}>
                <a
                  href={`#${endpoint.operationId}`}
                  className="flex gap-3 py-1.5 font-mono text-xs hover:bg-raised"
                  aria-label={`${endpoint.summary}: ${method.toUpperCase()} ${path}`}
                >
                  <span className="w-10 shrink-0">
                    <MethodBadge method={method} />
                  </span>
                  <span className="break-all">{path}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

const COLORS: Record<string, string> = { get: "text-green", post: "text-blue", patch: "text-amber" };

function MethodBadge({ method }: { method: string }) {
  return <span className={`font-medium uppercase ${COLORS[method.toLowerCase()] ?? ""}`}>{method}</span>;
}
