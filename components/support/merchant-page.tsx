import { Banner } from "@/components/ui/banner";
import { Card } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { Facts } from "@/components/ui/facts";
import { PageHeader } from "@/components/ui/page-header";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { ACTS_SHOWN, type MerchantProfile, type MerchantView } from "@/lib/contract/support/merchant-view";
import { ActList } from "./act-list";
import { MerchantEnvironment } from "./merchant-environment";
import { ModeTabs } from "./mode-tabs";
import { OwnActList } from "./own-act-list";
import { PeopleList } from "./people-list";
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
