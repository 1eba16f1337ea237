import type { ActorRecord } from "@/db/schema/operations";
import type { Operation } from "@/lib/contract/operation";
import type { UserPermission } from "@/lib/contract/permissions";
import type { Environment } from "@/lib/domain/context";
import type { Person } from "@/lib/domain/people/session";
import { writes } from "./writes";

/** Who calls, whichever way they proved it. */
export type Caller = {
  readonly actor: ActorRecord;
  /** What the rate limit counts by. */
  readonly limitKey: string;
  readonly environment: Environment;
  readonly permissions: ReadonlySet<UserPermission>;
  /** Whether somebody of the merchant proved an e-mail address; for staff, always. */
  readonly verified: boolean;
  /** Who is signed in; left out for an API key, which is no person and proves nothing again. */
  readonly person?: Person;
};

/**
 * Whose answers count together: those of all keys of an environment, of all its people, and of each of our staff. What is
 * answered to writes counts apart, so that who reads too much can go on taking payments.
 */
export function readerOf({ actor, environment, limitKey }: Caller, operation: Operation): string {
  const who =
    actor.type === "staff" ? `staff ${limitKey}` : actor.type === "user" ? peopleOf(environment) : environment.id;
  return writes(operation) ? `${who} writes` : who;
}

export const peopleOf = ({ id }: Pick<Environment, "id">): string => `people ${id}`;
