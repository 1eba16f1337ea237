import Link from "next/link";
import { subscriptionPath } from "@/components/subscriptions/status";
import { Banner } from "@/components/ui/banner";
import { Address, Card, Facts } from "@/components/ui/card";
import { CodeFigure, CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { RefreshEvery, Time } from "@/components/ui/time";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { SessionDetail } from "@/lib/contract/checkout/endpoints";
import type { Mode } from "@/lib/contract/transactions/words";
import { CancelSession } from "./session-actions";
import { SessionAttempts, SessionHistory } from "./session-history";
import { SessionAmount, SessionStatus } from "./session-table";

const UNDER_WAY_MS = 3_000;
const OPEN_MS = 15_000;

type SessionPageProps = {
  detail: SessionDetail;
  mode: Mode;
  /** The user may create and cancel sessions, and change the form's default appearance. */
  canWrite: boolean;
  canStyle: boolean;
};

/** A client session: its item, its attempts and its end. */
export function SessionPage({ detail, mode, canWrite, canStyle }: SessionPageProps) {
  const { session, plan, link, open_payment_id } = detail;
  const isOpen = session.status === "OPEN";
  const isBusy = open_payment_id !== null || detail.is_checking;
  const attempts = MAX_SESSION_ATTEMPTS - session.attempts_left;
  return (
    <article>
      <PageHeader
        title={<SessionAmount session={session} />}
        crumbs={[{ label: "Sessions", href: `/${mode}/checkout` }]}
        badge={<SessionStatus session={{ status: session.status, under_way: isBusy, attempts }} />}
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={session.id} label="Copy session id" className="text-ink" />
            <span>
              Created <Time at={session.created_at} />
            </span>
          </span>
        }
        actions={<Actions detail={detail} mode={mode} canWrite={canWrite} />}
      />
      {isOpen && attempts >= MAX_SESSION_ATTEMPTS && !isBusy && (
        <Banner tone="amber" title="No attempts left" className="mb-4">
          All five attempts failed, so the session is closed. Create another one if the customer wants to try again.
        </Banner>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <SessionAttempts detail={detail} mode={mode} />
          <Card title="History">
            <SessionHistory detail={detail} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <SaleBlock session={session} plan={plan} link={link} mode={mode} />
          <CustomerBlock session={session} />
          <PlaceBlock session={session} ofLink={link !== null} mode={mode} canStyle={canStyle} />
          <MetadataBlock session={session} />
        </div>
      </div>
      {isOpen && <RefreshEvery ms={isBusy ? UNDER_WAY_MS : OPEN_MS} />}
    </article>
  );
}

function Actions({ detail, mode, canWrite }: Pick<SessionPageProps, "detail" | "mode" | "canWrite">) {
  const { session, plan, link } = detail;
  if (session.payment_id !== null) {
    return (
      <Link href={`/${mode}/payments/${session.payment_id}`} className={buttonStyles({ variant: "primary" })}>
        View payment
      </Link>
    );
  }
  if (!canWrite) return null;
  if (session.status === "OPEN") return <CancelSession id={session.id} mode={mode} />;
  if (link !== null) return null;
  return (
    <Link href={`/${mode}/checkout/new${plan ? `?plan=${plan.id}` : ""}`} className={buttonStyles()}>
      Create another
    </Link>
  );
}

const LINK = "text-accent hover:underline";

type SaleBlockProps = { session: ClientSession; plan: SessionDetail["plan"]; link: SessionDetail["link"]; mode: Mode };

/** Item and terms of payment. */
function SaleBlock({ session, plan, link, mode }: SaleBlockProps) {
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
            ) : session.mode === "setup" ? (
              "A card, stored for later payments"
            ) : (
              "An amount without a plan"
            ),
          },
          ...(link
            ? [
                {
                  term: "Payment link",
                  value: (
                    <Link href={`/${mode}/checkout/links/${link.id}`} className={LINK}>
                      {link.title}
                    </Link>
                  ),
                },
              ]
            : []),
          ...(session.subscription_id === null
            ? []
            : [
                {
                  term: "Subscription",
                  value: (
                    <Link href={subscriptionPath(mode, session.subscription_id)} className={LINK}>
                      View subscription
                    </Link>
                  ),
                },
              ]),
          ...(session.payment_method_id === null
            ? []
            : [
                {
                  term: "Stored card",
                  value: <CopyId id={session.payment_method_id} label="Copy payment method id" />,
                },
              ]),
          ...(session.mode === "setup"
            ? []
            : [
                {
                  term: "Captured",
                  value: session.capture_method === "manual" ? "When you capture it" : "Immediately",
                },
              ]),
          {
            term: "Attempts used",
            value: `${MAX_SESSION_ATTEMPTS - session.attempts_left} of ${MAX_SESSION_ATTEMPTS}`,
          },
          { term: "Expires", value: <Time at={session.expires_at} /> },
        ]}
      />
    </Card>
  );
}

/** The customer named in the session. */
function CustomerBlock({ session }: { session: ClientSession }) {
  const { customer_name: name, customer_email: email, customer_id: id, billing_address: address } = session;
  const hasAddress = address !== null && Object.values(address).some(Boolean);
  return (
    <Card title="Customer">
      {name || email || id || hasAddress ? (
        <Facts
          items={[
            { term: "Name", value: name },
            { term: "E-mail", value: email },
            { term: "Your customer id", value: id && <CopyId id={id} label="Copy customer id" /> },
            ...(hasAddress ? [{ term: "Billing address", value: <Address address={address} /> }] : []),
          ]}
        />
      ) : (
        <p className="text-soft">The session has no customer details.</p>
      )}
    </Card>
  );
}

type PlaceBlockProps = { session: ClientSession; ofLink: boolean; mode: Mode; canStyle: boolean };

/** Embedding origins, appearance and return address. */
function PlaceBlock({ session, ofLink, mode, canStyle }: PlaceBlockProps) {
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
                <span className="text-soft">None: link only</span>
              ) : (
                <ul className="font-mono text-xs leading-5">
                  {origins.map((origin) => (
                    <li key={origin}>{origin}</li>
                  ))}
                </ul>
              ),
          },
          {
            term: "Return URL",
            value: return_url && <span className="font-mono text-xs">{return_url}</span>,
          },
          { term: "Appearance", value: appearance ? "Set for this session" : ownLook },
        ]}
      />
      {appearance && (
        <div className="mt-2">
          <CodeFigure title="appearance" code={JSON.stringify(appearance, null, 2)} />
        </div>
      )}
      {session.status === "OPEN" && !ofLink && (
        <p className="mt-2 text-soft text-xs leading-5">The link was shown once, when the session was created.</p>
      )}
    </Card>
  );
}

/** Metadata attached by the merchant's server. */
function MetadataBlock({ session }: { session: ClientSession }) {
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
