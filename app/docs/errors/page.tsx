import type { Metadata } from "next";
import Link from "next/link";
import { DocsShell, type Section } from "@/components/docs/docs-shell";
import { DataTable } from "@/components/docs/prose";
import { ERROR_CODES, ERRORS } from "@/lib/contract/errors";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";

export const metadata: Metadata = {
  title: "Errors",
  description: "Every error code of the API, with its cause and its cure.",
};

const GROUPS = [
  {
    id: "requests",
    label: "Requests",
    statuses: [400, 404, 405, 413, 415],
    about: "The request cannot be read or names something that is not there.",
  },
  {
    id: "access",
    label: "Access",
    statuses: [401, 403],
    about: "The key is missing, not valid, or not allowed to do this.",
  },
  {
    id: "outcomes",
    label: "Payments",
    statuses: [402, 422],
    about: "The request is well formed, and the answer is no.",
  },
  { id: "conflicts", label: "Conflicts", statuses: [409], about: "It does not go together with what was done before." },
  {
    id: "service",
    label: "Service",
    statuses: [429, 500, 502, 503, 504],
    about: "Slow down, or try again with the same idempotency key.",
  },
] as const;

const SECTIONS: readonly Section[] = [
  { id: "content", label: "Errors" },
  ...GROUPS.map(({ id, label }) => ({ id, label })),
  { id: "declines", label: "Decline codes" },
];

const codesOf = (statuses: readonly number[]) =>
  ERROR_CODES.filter((code) => statuses.includes(ERRORS[code].status)).sort(
    (a, b) => ERRORS[a].status - ERRORS[b].status,
  );

export default function ErrorsPage() {
  return (
    <DocsShell current="/docs/errors" sections={SECTIONS}>
      <article className="prose">
        <h1>Errors</h1>
        <p className="lead">
          Every error has a <code className="tick">code</code> to branch on and a page that says why it comes and what
          to do. The <code className="tick">type</code> of the answer leads there.
        </p>
        {GROUPS.map(({ id, label, statuses, about }) => (
          <section key={id} className="space-y-3">
            <h2 id={id}>{label}</h2>
            <p>{about}</p>
            <DataTable
              caption={`Error codes: ${label}`}
              columns={["Status", "Code", "Meaning"]}
              rows={codesOf(statuses).map((code) => ({
                key: code,
                cells: [
                  ERRORS[code].status,
                  <Link key="code" href={`/docs/errors/${code}`} className="font-mono text-xs">
                    {code}
                  </Link>,
                  ERRORS[code].title,
                ],
              }))}
            />
          </section>
        ))}
        <h2 id="declines">Decline codes</h2>
        <p>
          A declined card answers 402 <Link href="/docs/errors/card_declined">card_declined</Link> with a{" "}
          <code className="tick">decline_code</code>. Do not tell a shopper that a card is reported lost or stolen.
        </p>
        <DataTable
          caption="Decline codes"
          columns={["Code", "Meaning", "Words for the shopper"]}
          rows={Object.entries(DECLINE_GUIDE).map(([code, { meaning, say }]) => ({
            key: code,
            cells: [
              <code key="code" className="font-mono text-xs">
                {code}
              </code>,
              meaning,
              say,
            ],
          }))}
        />
      </article>
    </DocsShell>
  );
}
