import Link from "next/link";
import { Card } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { Facts } from "@/components/ui/facts";
import { Time } from "@/components/ui/time";
import { MAX_ATTEMPTS } from "@/lib/client/checkout/session-text";
import type { ClientSession } from "@/lib/contract/client-session";
import type { SessionDetail } from "@/lib/contract/dashboard/checkout";
import type { Mode } from "@/lib/contract/transaction-words";
import { CodeFigure } from "./code-figure";

const LINK = "text-accent hover:underline";

type SaleBlockProps = { session: ClientSession; plan: SessionDetail["plan"]; mode: Mode };

/** What is paid, and how. */
export function SaleBlock({ session, plan, mode }: SaleBlockProps) {
  return (
    <Card title="Sale">
      <Facts
        items={[
          {
            term: "For",
            value: plan ? (
              <Link href={`/${mode}/plans/${plan.id}`} className={LINK}>
                {plan.name}
              </Link>
            ) : (
              "An amount without a plan"
            ),
          },
          { term: "Captured", value: session.capture_method === "manual" ? "When you capture it" : "At once" },
          { term: "Tries used", value: `${MAX_ATTEMPTS - session.attempts_left} of ${MAX_ATTEMPTS}` },
          { term: "Expires", value: <Time at={session.expires_at} /> },
        ]}
      />
    </Card>
  );
}

/** Whom the session names. */
export function CustomerBlock({ session }: { session: ClientSession }) {
  const { customer_name: name, customer_email: email, customer_id: id, billing_address: address } = session;
  const lines = address
    ? [
        address.line1,
        address.line2,
        [address.postal_code, address.city, address.state].filter(Boolean).join(" "),
        address.country,
      ].filter(Boolean)
    : [];
  return (
    <Card title="Customer">
      {name || email || id || lines.length > 0 ? (
        <Facts
          items={[
            { term: "Name", value: name },
            { term: "E-mail", value: email },
            { term: "Your customer id", value: id && <CopyId id={id} label="Copy customer id" /> },
            ...(lines.length > 0
              ? [
                  {
                    term: "Billing address",
                    value: (
                      <address className="not-italic">
                        {lines.map((line) => (
                          <span key={line} className="block">
                            {line}
                          </span>
                        ))}
                      </address>
                    ),
                  },
                ]
              : []),
          ]}
        />
      ) : (
        <p className="text-soft">The session names no customer.</p>
      )}
    </Card>
  );
}

type PlaceBlockProps = { session: ClientSession; mode: Mode; canStyle: boolean };

/** Where the form may stand, how it looks, and where the shopper goes on to. */
export function PlaceBlock({ session, mode, canStyle }: PlaceBlockProps) {
  const { allowed_origins: origins, return_url, appearance } = session;
  const ownLook = (
    <span className="flex flex-wrap gap-x-3">
      <span>Your default</span>
      {canStyle && (
        <Link href={`/${mode}/checkout/appearance`} className={LINK}>
          Change
        </Link>
      )}
    </span>
  );
  return (
    <Card title="Payment form">
      <Facts
        items={[
          {
            term: "Allowed origins",
            value:
              origins.length === 0 ? (
                <span className="text-soft">None: its link only</span>
              ) : (
                <ul className="font-mono text-xs leading-5">
                  {origins.map((origin) => (
                    <li key={origin}>{origin}</li>
                  ))}
                </ul>
              ),
          },
          {
            term: "Return address",
            value: return_url && <span className="font-mono text-xs">{return_url}</span>,
          },
          { term: "Appearance", value: appearance ? "The session’s own" : ownLook },
        ]}
      />
      {appearance && (
        <div className="mt-2">
          <CodeFigure title="appearance" code={JSON.stringify(appearance, null, 2)} />
        </div>
      )}
      {session.status === "OPEN" && (
        <p className="mt-2 text-soft text-xs leading-5">
          The link was shown when the session was created, and nobody can show it again.
        </p>
      )}
    </Card>
  );
}

/** What your own server attached. */
export function MetadataBlock({ session }: { session: ClientSession }) {
  const entries = Object.entries(session.metadata);
  if (entries.length === 0) return null;
  return (
    <Card title="Metadata">
      <Facts
        items={entries.map(([key, value]) => ({
          term: <span className="font-mono text-xs [overflow-wrap:anywhere]">{key}</span>,
          value: String(value),
        }))}
      />
    </Card>
  );
}
