import { AppError } from "@/lib/contract/errors";
import type { Operation } from "@/lib/contract/operation";
import type { Caller } from "./caller";

/** Throws `permission_denied` unless the caller has one of the operation's permissions. Looks nothing up. */
export function authorize(
  caller: Pick<Caller, "permissions"> & Partial<Pick<Caller, "actor">>,
  operation: Pick<Operation, "permissions">,
): void {
  const { permissions } = operation;
  if (permissions.length === 0) return;
  for (const permission of permissions) if (caller.permissions.has(permission)) return;
  const needed = permissions.join(" or ");
  throw new AppError(
    "permission_denied",
    caller.actor?.type === "api_key" || !caller.actor
      ? `This API key lacks the permission ${needed}. Use a key that has it.`
      : `Your role lacks the permission ${needed}. Ask an owner of the account for it.`,
  );
}
