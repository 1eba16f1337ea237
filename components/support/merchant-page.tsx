import Link from "next/link";
import { Badge, StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { PageHeader } from "@/components/ui/page-header";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import {
  ACTS_SHOWN,
  type MerchantPerson,
  type MerchantProfile,
  type MerchantView,
} from "@/lib/contract/support/merchant-view";
import { MODES, type Mode } from "@/lib/contract/transactions/words";
import { ActList, OwnActList } from "./act-list";
import { ROLE_NAMES } from "./labels";
import { MerchantEnvironment } from "./merchant-environment";
import { ReasonDialog } from "./reason-dialog";

export function MerchantPage({ view }: { view: MerchantView }) {
  const { profile, people, environment, acts, ownActs } = view;
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
          No key of it works, and its people can look but not act. Reason: {profile.suspendedReason ?? "none was given"}
          .
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
          <Card title={`People (${people.length})`} flush>
            <PeopleList merchantId={profile.id} people={people} />
          </Card>
          <Card title="What its people did" description={`With the account, the last ${ACTS_SHOWN}.`} flush>
            <OwnActList acts={ownActs} />
          </Card>
          <Card title="What support did" description={`The last ${ACTS_SHOWN}; the merchant sees them too.`} flush>
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
        { term: "Support address", value: profile.supportEmail },
        { term: "Time zone", value: profile.timeZone },
        { term: "Joined", value: <Time at={profile.createdAt} style="date" /> },
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
        text="Its keys and people can do again what they could before."
        confirmLabel="Reinstate merchant"
        path={`/api/support/merchants/${profile.id}/reinstate`}
        done={`${profile.name} is reinstated`}
      />
    );
  }
  return (
    <ReasonDialog
      label="Suspend"
      title={`Suspend ${profile.name}?`}
      text="All its API keys, test and live, stop working within half a second. Its people can still look everything up, but not move money. Payments already under way are brought to their end."
      confirmLabel="Suspend merchant"
      danger
      path={`/api/support/merchants/${profile.id}/suspend`}
      done={`${profile.name} is suspended`}
    />
  );
}

/** The merchant's two environments. */
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

function PeopleList({ merchantId, people }: { merchantId: string; people: readonly MerchantPerson[] }) {
  if (people.length === 0) return <p className="p-4 text-[13px] text-soft">Nobody can sign in.</p>;
  return (
    <ul className="divide-y">
      {people.map((person) => (
        <li key={person.id} className="flex flex-col gap-1 px-4 py-2.5 text-[13px]">
          <p className="min-w-0 font-medium [overflow-wrap:anywhere]">{person.email}</p>
          <p className="flex flex-wrap items-center gap-1.5">
            <Badge>{ROLE_NAMES[person.role]}</Badge>
            {person.secondFactor ? (
              <Badge tone="green">Second factor on</Badge>
            ) : (
              <Badge tone="amber">No second factor</Badge>
            )}
          </p>
          <p className="text-soft text-xs">
            {person.name && `${person.name} · `}
            {person.lastSignInAt ? (
              <>
                Signed in <Time at={person.lastSignInAt} style="relative" />
              </>
            ) : (
              "Never signed in"
            )}
          </p>
          <CopyId id={person.id} short label={`Copy the id of ${person.email}`} className="text-soft" />
          {person.lockedUntil && (
            <div className="mt-1 flex flex-wrap items-center justify-between gap-2 rounded-md bg-red-ground px-3 py-2">
              <p>
                Locked until <Time at={person.lockedUntil} />
              </p>
              <ReasonDialog
                label="Unlock"
                size="sm"
                title={`Unlock ${person.email}?`}
                text="They can try to sign in again at once. Password and second factor stay as they are: make sure that it is really them."
                confirmLabel="Unlock sign-in"
                path={`/api/support/merchants/${merchantId}/people/${person.id}/unlock`}
                done={`${person.email} can sign in again`}
              />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
