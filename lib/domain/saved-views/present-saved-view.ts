import type { ShownSavedView } from "@/db/queries/saved-views";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { UserRole } from "@/lib/contract/permissions";
import type { SavedView } from "@/lib/contract/transactions/saved-views";

/** The row as the dashboard shows it to a person. */
export function presentSavedView(row: ShownSavedView, userId: string): SavedView {
  return {
    id: encodeId("savedView", row.id),
    object: "saved_view",
    name: row.name,
    query: row.query,
    columns: row.columns,
    shared: row.shared,
    mine: row.user_id === userId,
    owner: row.owner,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** What the team sees is for those to say who may change something: viewers keep views for themselves. */
export function requireSharing(role: UserRole, shared: boolean): void {
  if (!shared || role !== "viewer") return;
  throw new AppError(
    "permission_denied",
    "Viewers keep views for themselves. Ask an owner to share one with the team.",
  );
}

export function viewNameTaken(name: string): AppError {
  const message = `You already have a view named '${name}'. Choose another name.`;
  return new AppError("invalid_parameter", message, {
    errors: [{ param: "name", code: "invalid_parameter", message }],
  });
}
