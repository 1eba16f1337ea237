import Link from "next/link";
import { Banner } from "@/components/ui/banner";
import { buttonStyles } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { MAX_ATTEMPTS } from "@/lib/client/checkout/session-text";
import type { SessionDetail } from "@/lib/contract/dashboard/checkout";
import type { Mode } from "@/lib/contract/transaction-words";
import { AttemptList } from "./attempt-list";
import { CancelSession } from "./cancel-session";
import { FollowSession } from "./follow-session";
import { CustomerBlock, MetadataBlock, PlaceBlock, SaleBlock } from "./session-blocks";
import { SessionHistory } from "./session-history";
import { SessionStatus } from "./session-status";

const UNDER_WAY_MS = 3_000;
const OPEN_MS = 15_000;

type SessionPageProps = {
  detail: SessionDetail;
  mode: Mode;
  /** Whether the person may create and cancel sessions, and change the form's default looks. */
  canWrite: boolean;
  canStyle: boolean;
};

/** One client session: what it is for, the cards that were tried, and how it ended. */
export function SessionPage({ detail, mode, canWrite, canStyle }: SessionPageProps) {
  const { session, plan, open_payment_id } = detail;
  const isOpen = session.status === "OPEN";
  const attempts = MAX_ATTEMPTS - session.attempts_left;
  return (
    <article>
      <PageHeader
        title={<Money amount={session.amount} currency={session.currency} />}
        crumbs={[{ label: "Checkout", href: `/${mode}/checkout` }]}
        badge={<SessionStatus session={{ status: session.status, under_way: open_payment_id !== null, attempts }} />}
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
      {isOpen && attempts >= MAX_ATTEMPTS && open_payment_id === null && (
        <Banner tone="amber" title="No tries left" className="mb-4">
          Five cards were declined, so the session takes no more. Create another one if the customer wants to go on.
        </Banner>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <AttemptList detail={detail} mode={mode} />
          <Card title="History">
            <SessionHistory detail={detail} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <SaleBlock session={session} plan={plan} mode={mode} />
          <CustomerBlock session={session} />
          <PlaceBlock session={session} mode={mode} canStyle={canStyle} />
          <MetadataBlock session={session} />
        </div>
      </div>
      {isOpen && <FollowSession everyMs={open_payment_id === null ? OPEN_MS : UNDER_WAY_MS} />}
    </article>
  );
}

function Actions({ detail, mode, canWrite }: Pick<SessionPageProps, "detail" | "mode" | "canWrite">) {
  const { session, plan } = detail;
  if (session.payment_id !== null) {
    return (
      <Link href={`/${mode}/payments/${session.payment_id}`} className={buttonStyles({ variant: "primary" })}>
        See payment
      </Link>
    );
  }
  if (!canWrite) return null;
  if (session.status === "OPEN") return <CancelSession id={session.id} mode={mode} />;
  return (
    <Link href={`/${mode}/checkout/new${plan ? `?plan=${plan.id}` : ""}`} className={buttonStyles()}>
      Create another
    </Link>
  );
}
