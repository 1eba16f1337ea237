import type { ActorRecord } from "@/db/schema/operations";
import type { UserPermission } from "@/lib/contract/roles";
import type { Environment } from "@/lib/domain/context";

/** Who calls, whichever way they proved it. */
export type Caller = {
  readonly actor: ActorRecord;
  /** What the rate limit counts by. */
  readonly limitKey: string;
  readonly environment: Environment;
  readonly permissions: ReadonlySet<UserPermission>;
};
