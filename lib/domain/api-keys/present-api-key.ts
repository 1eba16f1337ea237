import type { ApiKeyRow } from "@/db/queries/api-keys";
import type { ApiKey, ApiKeyAction } from "@/lib/contract/api-keys/api-keys";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { Permission } from "@/lib/contract/permissions";

/** The row as people see it. `replacedBy` is the UUID of the key that was made in its place. */
export function presentApiKey(row: ApiKeyRow, now: Date, replacedBy: string | null): ApiKey {
  const status = statusAt(row, now);
  return {
    id: encodeId("apiKey", row.id),
    object: "api_key",
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    permissions: row.permissions as Permission[],
    status,
    ip_allow_list: row.ip_allow_list,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    last_used_ip: row.last_used_ip,
    rotated_from: encodeIdOrNull("apiKey", row.rotated_from),
    replaced_by: encodeIdOrNull("apiKey", replacedBy),
    available_actions: actionsOf(status, replacedBy !== null),
    created_at: row.created_at,
  };
}

function statusAt(row: ApiKeyRow, now: Date): ApiKey["status"] {
  if (row.status === "REVOKED") return "REVOKED";
  return row.expires_at !== null && Date.parse(row.expires_at) <= now.getTime() ? "EXPIRED" : row.status;
}

function actionsOf(status: ApiKey["status"], replaced: boolean): ApiKeyAction[] {
  switch (status) {
    case "ACTIVE":
      return replaced ? ["disable", "revoke"] : ["rotate", "disable", "revoke"];
    case "DISABLED":
      return ["enable", "revoke"];
    case "EXPIRED":
      return ["revoke"];
    case "REVOKED":
      return [];
    default:
      return status satisfies never;
  }
}
