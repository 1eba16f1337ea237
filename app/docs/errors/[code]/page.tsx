import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { CodeBlock } from "@/components/docs/code";
import { DocsShell, type Section } from "@/components/docs/docs-shell";
import { RichText } from "@/components/docs/prose";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ERROR_GUIDE } from "@/lib/contract/error-guide";
import { ERROR_CODES, ERRORS, type ErrorCode } from "@/lib/contract/errors";
import { errorCodesOf, errorExample } from "@/lib/http/openapi-schemas";
import { publicUrls } from "@/lib/http/page";

type ErrorPageProps = { params: Promise<{ code: string }> };

const SECTIONS: readonly Section[] = [
  { id: "cause", label: "Cause" },
  { id: "cure", label: "What to do" },
  { id: "retry", label: "Retrying" },
  { id: "example", label: "Example" },
  { id: "endpoints", label: "Endpoints" },
];

async function codeOf({ params }: ErrorPageProps): Promise<ErrorCode> {
  const { code } = await params;
  return ERROR_CODES.find((known) => known === code) ?? notFound();
}

export async function generateMetadata(props: ErrorPageProps): Promise<Metadata> {
  const code = await codeOf(props);
  return { title: code, description: ERRORS[code].title };
}

export default async function ErrorCodePage(props: ErrorPageProps) {
  const code = await codeOf(props);
  const { baseUrl } = await publicUrls();
  const { status, title } = ERRORS[code];
  const { cause, cure, retry } = ERROR_GUIDE[code];
  const endpoints = ENDPOINTS.filter((endpoint) => errorCodesOf(endpoint).includes(code));
  const sections = endpoints.length > 0 ? SECTIONS : SECTIONS.filter(({ id }) => id !== "endpoints");
  return (
    <DocsShell current="/docs/errors" sections={sections}>
      <article className="prose brief">
        <nav aria-label="Breadcrumb" className="text-[13px]">
          <Link href="/docs/errors" className="text-soft hover:text-ink">
            Errors
          </Link>
          <span className="text-soft"> / {status}</span>
        </nav>
        <h1 className="break-words font-mono">{code}</h1>
        <p>{title}.</p>
        <h2 id="cause">Cause</h2>
        <p>
          <RichText text={cause} />
        </p>
        <h2 id="cure">What to do</h2>
        <p>
          <RichText text={cure} />
        </p>
        {code === "card_declined" && (
          <p>
            <Link href="/docs/errors#declines">What each decline code means and what to say</Link>
          </p>
        )}
        <h2 id="retry">Retrying</h2>
        <p>
          <RichText text={retry} />
        </p>
        <h2 id="example">Example</h2>
        <CodeBlock
          title={`HTTP ${status}, application/problem+json`}
          language="json"
          code={JSON.stringify(errorExample(code, `${baseUrl}/docs`).value, null, 2)}
        />
        {endpoints.length > 0 && (
          <>
            <h2 id="endpoints">Endpoints that return it</h2>
            <ul>
              {endpoints.map((endpoint) => (
                <li key={endpoint.name}>
                  <Link href={`/docs/reference#${endpoint.name}`}>{endpoint.summary}</Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </article>
    </DocsShell>
  );
}
