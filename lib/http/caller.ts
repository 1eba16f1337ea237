import type { ActorRecord } from "@/db/schema/operations";
import type { UserPermission } from "@/lib/contract/roles";
import type { Environment } from "@/lib/domain/context";
import type { Person } from "@/lib/domain/people/session";

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
