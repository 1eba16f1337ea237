import { Badge } from "@/components/ui/badge";
import { CopyId } from "@/components/ui/copy-id";
import { Time } from "@/components/ui/time";
import type { MerchantPerson } from "@/lib/contract/support/merchant-view";
import { ReasonDialog } from "./reason-dialog";
import { ROLE_NAMES } from "./role-names";

export function PeopleList({ merchantId, people }: { merchantId: string; people: readonly MerchantPerson[] }) {
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
