import Link from "next/link";
import { Badge, StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import {
  ACTS_SHOWN,
  type MerchantMember,
  type MerchantProfile,
  type MerchantView,
} from "@/lib/contract/support/merchant-view";
import { MODES, type Mode } from "@/lib/contract/transactions/words";
import { ActList, OwnActList } from "./act-list";
import { ROLE_NAMES } from "./labels";
import { MerchantEnvironment } from "./merchant-environment";
import { ReasonDialog } from "./reason-dialog";

export function MerchantPage({ view }: { view: MerchantView }) {
  const { profile, members, environment, acts, ownActs } = view;
  const suspended = profile.suspendedAt !== null;
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Search", href: "/support" }]}
        title={profile.name}
        badge={<StatusBadge status={suspended ? "SUSPENDED" : "ACTIVE"} />}
        actions={<SuspendButton profile={profile} />}
      />
      {suspended && (
        <Banner tone="red" title="This merchant is suspended" className="mb-4">
          {profile.suspendedAt && (
            <>
              Since <Time at={profile.suspendedAt} />.{" "}
            </>
          )}
          Its keys don’t work, and its members can view but not change anything. Reason:{" "}
          {profile.suspendedReason ?? "none was given"}.
        </Banner>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <ModeTabs merchantId={profile.id} mode={environment.mode} />
          <MerchantEnvironment environment={environment} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Profile">
            <Profile profile={profile} environmentId={environment.id} />
          </Card>
          <Card title={`Members (${members.length})`} flush>
            <MemberList merchantId={profile.id} members={members} />
          </Card>
          <Card title="Account activity" description={`The latest ${ACTS_SHOWN}.`} flush>
            <OwnActList acts={ownActs} />
          </Card>
          <Card title="Support activity" description={`The latest ${ACTS_SHOWN}, also visible to the merchant.`} flush>
            <ActList acts={acts} />
          </Card>
        </div>
      </div>
    </>
  );
}

function Profile({ profile, environmentId }: { profile: MerchantProfile; environmentId: string }) {
  return (
    <Facts
      items={[
        { term: "Merchant", value: <CopyId id={profile.id} short label="Copy merchant id" /> },
        { term: "Environment", value: <CopyId id={environmentId} short label="Copy environment id" /> },
        { term: "Website", value: profile.website },
        { term: "Support e-mail", value: profile.supportEmail },
        { term: "Time zone", value: profile.timeZone },
        { term: "Created", value: <Time at={profile.createdAt} style="date" /> },
      ]}
    />
  );
}

function SuspendButton({ profile }: { profile: MerchantProfile }) {
  if (profile.suspendedAt !== null) {
    return (
      <ReasonDialog
        label="Reinstate"
        title={`Reinstate ${profile.name}?`}
        text="Its keys and members regain their previous access."
        confirmLabel="Reinstate merchant"
        address="POST /api/support/merchants/{id}/reinstate"
        params={{ id: profile.id }}
        done={`${profile.name} is reinstated`}
      />
    );
  }
  return (
    <ReasonDialog
      label="Suspend"
      title={`Suspend ${profile.name}?`}
      text="All its API keys, test and live, stop working within half a second. Its members can still view everything, but not move money. Payments already in progress are completed."
      confirmLabel="Suspend merchant"
      danger
      address="POST /api/support/merchants/{id}/suspend"
      params={{ id: profile.id }}
      done={`${profile.name} is suspended`}
    />
  );
}

/** Tabs for the merchant's two environments. */
function ModeTabs({ merchantId, mode }: { merchantId: string; mode: Mode }) {
  return (
    <nav aria-label="Environment" className="flex gap-1 border-b">
      {MODES.map((one) => (
        <Link
          key={one}
          href={`/support/merchants/${merchantId}?mode=${one}`}
          prefetch={false}
          aria-current={one === mode ? "page" : undefined}
          className={cn(
            "-mb-px flex h-8 items-center border-b-2 px-2 text-[13px]",
            one === mode ? "border-violet font-medium" : "border-transparent text-soft hover:text-ink",
          )}
        >
          {one === "live" ? "Live" : "Test"}
        </Link>
      ))}
    </nav>
  );
}

function MemberList({ merchantId, members }: { merchantId: string; members: readonly MerchantMember[] }) {
  if (members.length === 0) return <p className="p-4 text-[13px] text-soft">No member can sign in.</p>;
  return (
    <ul className="divide-y">
      {members.map((user) => (
        <li key={user.id} className="flex flex-col gap-1 px-4 py-2.5 text-[13px]">
          <p className="min-w-0 font-medium [overflow-wrap:anywhere]">{user.email}</p>
          <p className="flex flex-wrap items-center gap-1.5">
            <Badge>{ROLE_NAMES[user.role]}</Badge>
            {user.secondFactor ? (
              <Badge tone="green">Two-factor authentication on</Badge>
            ) : (
              <Badge tone="amber">No two-factor authentication</Badge>
            )}
          </p>
          <p className="text-soft text-xs">
            {user.name && `${user.name} · `}
            {user.lastSignInAt ? (
              <>
                Signed in <Time at={user.lastSignInAt} style="relative" />
              </>
            ) : (
              "Never signed in"
            )}
          </p>
          <CopyId id={user.id} short label={`Copy the id of ${user.email}`} className="text-soft" />
          {user.lockedUntil && (
            <div className="mt-1 flex flex-wrap items-center justify-between gap-2 rounded-md bg-red-ground px-3 py-2">
              <p>
                Locked until <Time at={user.lockedUntil} />
              </p>
              <ReasonDialog
                label="Unlock"
                size="sm"
                title={`Unlock ${user.email}?`}
                text="They can sign in again immediately with the same password and authenticator app. Verify their identity first."
                confirmLabel="Unlock sign-in"
                address="POST /api/support/merchants/{id}/members/{user}/unlock"
                params={{ id: merchantId, user: user.id }}
                done={`${user.email} can sign in again`}
              />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
