import type { Metadata } from "next";
import Link from "next/link";
import { DocsShell, type Section } from "@/components/docs/docs-shell";
import { Authentication, Idempotency, Lifecycle } from "@/components/docs/guide/basics";
import { Conventions, ErrorsSection, Limits, Pagination, Versioning } from "@/components/docs/guide/conventions";
import { Quickstart } from "@/components/docs/guide/quickstart";
import { OPERATIONS } from "@/lib/contract/operations";
import { errorExample } from "@/lib/http/openapi-schemas";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = {
  title: "Guide",
  description:
    "From a key to a refund in five steps, and how the API behaves: keys, idempotency, errors, paging, limits.",
};

const SECTIONS: readonly Section[] = [
  { id: "content", label: "Overview" },
  { id: "quickstart", label: "Quickstart" },
  { id: "authentication", label: "Authentication" },
  { id: "idempotency", label: "Idempotency" },
  { id: "lifecycle", label: "The life of a payment" },
  { id: "errors", label: "Errors" },
  { id: "conventions", label: "Conventions" },
  { id: "pagination", label: "Pagination" },
  { id: "limits", label: "Limits" },
  { id: "versioning", label: "Versioning" },
  { id: "testing", label: "Testing" },
];

const USED_PERMISSIONS: ReadonlySet<string> = new Set(OPERATIONS.flatMap((operation) => operation.permissions));

export default async function GuidePage() {
  const urls = await publicUrls();
  const sandbox = urls.sandboxBaseUrl ?? urls.baseUrl;
  const problem = JSON.stringify(errorExample("card_declined", `${urls.baseUrl}/docs`).value, null, 2);
  return (
    <DocsShell current="/docs" sections={SECTIONS}>
      <article className="prose">
        <h1>Guide</h1>
        <p className="lead">
          Cardlane is an HTTP API for card payments: JSON in, JSON out. This page takes you from a key to a refund and
          explains what holds for every request. The <Link href="/docs/reference">reference</Link> has every operation.
        </p>
        <Quickstart baseUrl={sandbox} />
        <Authentication urls={urls} usedPermissions={USED_PERMISSIONS} />
        <Idempotency />
        <Lifecycle />
        <ErrorsSection problem={problem} />
        <Conventions />
        <Pagination baseUrl={sandbox} />
        <Limits />
        <Versioning />
        <h2 id="testing">Testing</h2>
        <p>
          The sandbox behaves like live, with test cards in place of money. There are cards for every decline, for 3-D
          Secure, for address and security code checks, and for a processor that fails in every way it can.{" "}
          <Link href="/docs/testing">All test cards</Link>.
        </p>
      </article>
    </DocsShell>
  );
}
