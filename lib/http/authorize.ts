import { AppError } from "@/lib/contract/errors";
import type { Operation } from "@/lib/contract/operation";
import type { Permission } from "@/lib/contract/permissions";

/** Throws `permission_denied` unless the caller has one of the operation's permissions. Looks nothing up. */
export function authorize(
  caller: { readonly permissions: ReadonlySet<Permission> },
  operation: Pick<Operation, "permissions">,
): void {
  const { permissions } = operation;
  if (permissions.length === 0) return;
  for (const permission of permissions) if (caller.permissions.has(permission)) return;
  throw new AppError(
    "permission_denied",
    `This API key lacks the permission ${permissions.join(" or ")}. Use a key that has it.`,
  );
}
