import type { Metadata } from "next";
import Link from "next/link";
import { aboutPage, DocsShell, type Section } from "@/components/docs/docs-shell";
import { type EndpointEntry, EndpointSection, OperationIndex } from "@/components/docs/reference/endpoint-section";
import { MemberList, OBJECTS } from "@/components/docs/reference/member-list";
import type { Example } from "@/lib/contract/endpoint";
import { type EndpointName, EXAMPLES } from "@/lib/contract/examples";
import type { OpenApiDocument } from "@/lib/contract/openapi-document";
import { buildOpenApi } from "@/lib/http/openapi";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "API reference", description: aboutPage("/docs/reference") };

const anchor = (tag: string) => tag.toLowerCase().replaceAll(" ", "-");

function byTag(document: OpenApiDocument) {
  const entries: EndpointEntry[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ method, path, endpoint })),
  );
  return document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ endpoint }) => endpoint.tags[0] === tag.name),
  }));
}

/** Health probes are outside /v1 and have no example of their own. */
function queryOf(name: string): Record<string, string> | undefined {
  const example: Example | undefined = EXAMPLES[name as EndpointName];
  return example?.query;
}

export default async function ReferencePage() {
  const document = buildOpenApi(await publicUrls());
  const tags = byTag(document);
  const { schemas } = document.components;
  const sections: Section[] = [
    ...tags.flatMap(({ name, entries }): Section[] => [
      { id: anchor(name), label: name },
      ...entries.map(({ endpoint }): Section => ({ id: endpoint.operationId, label: endpoint.summary, level: 2 })),
    ]),
    { id: "objects", label: "Objects" },
    ...OBJECTS.map((name): Section => ({ id: name, label: name, level: 2 })),
  ];
  return (
    <DocsShell current="/docs/reference" sections={sections}>
      <div className="prose">
        <h1>API reference</h1>
        <p>
          Every endpoint, generated from the definitions that validate your requests. The{" "}
          <Link href="/docs">guide</Link> covers what all of them have in common. For tools, there is{" "}
          <a href="/v1/openapi.json">openapi.json</a> (OpenAPI 3.1), or <a href="/docs/postman.json">postman.json</a>, a
          collection for Postman.
        </p>
      </div>
      <OperationIndex tags={tags} />
      {tags.map(({ name, description, entries }) => (
        <section key={name} className="mt-14" aria-labelledby={anchor(name)}>
          <h2 id={anchor(name)} className="font-semibold text-xl tracking-tight">
            {name}
          </h2>
          <p className="mt-1 mb-6 text-soft">{description}</p>
          {entries.map((entry) => (
            <EndpointSection
              key={entry.endpoint.operationId}
              entry={entry}
              document={document}
              query={queryOf(entry.endpoint.operationId)}
            />
          ))}
        </section>
      ))}
      <section className="mt-14" aria-labelledby="objects">
        <h2 id="objects" className="font-semibold text-xl tracking-tight">
          Objects
        </h2>
        <p className="mt-1 text-soft">
          The objects that responses contain. All fields are always present unless stated otherwise.
        </p>
        {OBJECTS.map((name) => (
          <section key={name} className="mt-8 max-w-[44rem]" aria-labelledby={name}>
            <h3 id={name} className="mb-2 font-semibold text-base">
              {name}
            </h3>
            <MemberList schema={schemas[name] ?? {}} schemas={schemas} kind="answer" />
          </section>
        ))}
      </section>
    </DocsShell>
  );
}
