import { and, asc, desc, eq, or, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { savedViews, users } from "@/db/schema/accounts";
import type { SavedViewList } from "@/lib/contract/lists/saved-views";

type SavedViewRow = typeof savedViews.$inferSelect;
export type ShownSavedView = SavedViewRow & { readonly owner: string };
type SavedViewChanges = Partial<Pick<SavedViewRow, "name" | "query" | "columns" | "shared">> & {
  updated_at: string;
};

const shown = {
  environment_id: savedViews.environment_id,
  id: savedViews.id,
  user_id: savedViews.user_id,
  list: savedViews.list,
  name: savedViews.name,
  query: savedViews.query,
  columns: savedViews.columns,
  shared: savedViews.shared,
  created_at: savedViews.created_at,
  updated_at: savedViews.updated_at,
  owner: sql<string>`coalesce(${users.name}, ${users.email})`,
};

const own = (environmentId: string, userId: string) =>
  and(eq(savedViews.environment_id, environmentId), eq(savedViews.user_id, userId));

/** A user's views of a list. */
export type ViewsOf = { readonly userId: string; readonly list: SavedViewList };

/**
 * A user's own views, then views that others share, each oldest first. By primary key: an environment has
 * few.
 */
export function listSavedViews(
  orm: Orm,
  environmentId: string,
  { userId, list }: ViewsOf,
  limit: number,
): Promise<ShownSavedView[]> {
  return orm
    .select(shown)
    .from(savedViews)
    .innerJoin(users, eq(users.id, savedViews.user_id))
    .where(
      and(
        eq(savedViews.environment_id, environmentId),
        eq(savedViews.list, list),
        or(eq(savedViews.user_id, userId), eq(savedViews.shared, true)),
      ),
    )
    .orderBy(desc(eq(savedViews.user_id, userId)), asc(savedViews.id))
    .limit(limit);
}

/** Serializes adding views for this user until the transaction ends, without locking the user's row. */
export async function lockViewsOf(tx: Orm, userId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('saved_views ' || ${userId}, 0))`);
}

export function countSavedViews(orm: Orm, environmentId: string, { userId, list }: ViewsOf): Promise<number> {
  return orm.$count(savedViews, and(own(environmentId, userId), eq(savedViews.list, list)));
}

/** False if the user already has a view of that name. */
export async function insertSavedView(orm: Orm, environmentId: string, view: Omit<SavedViewRow, "environment_id">) {
  const rows = await orm
    .insert(savedViews)
    .values({ environment_id: environmentId, ...view })
    .onConflictDoNothing()
    .returning({ id: savedViews.id });
  return rows.length > 0;
}

export async function findSavedView(
  orm: Orm,
  environmentId: string,
  userId: string,
  id: string,
): Promise<ShownSavedView | null> {
  const rows = await orm
    .select(shown)
    .from(savedViews)
    .innerJoin(users, eq(users.id, savedViews.user_id))
    .where(and(own(environmentId, userId), eq(savedViews.id, id)));
  return rows[0] ?? null;
}

/**
 * Changes the user's own view; `missing` if there is none, `taken` if another of their views has the name.
 */
export async function updateSavedView(
  orm: Orm,
  environmentId: string,
  userId: string,
  id: string,
  changes: SavedViewChanges,
): Promise<"updated" | "missing" | "taken"> {
  try {
    const rows = await orm
      .update(savedViews)
      .set(changes)
      .where(and(own(environmentId, userId), eq(savedViews.id, id)))
      .returning({ id: savedViews.id });
    return rows.length > 0 ? "updated" : "missing";
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    if (cause instanceof Error && "constraint_name" in cause && cause.constraint_name === "saved_views_name") {
      return "taken";
    }
    throw error;
  }
}

/** False if the user has no such view. */
export async function deleteSavedView(orm: Orm, environmentId: string, userId: string, id: string): Promise<boolean> {
  const rows = await orm
    .delete(savedViews)
    .where(and(own(environmentId, userId), eq(savedViews.id, id)))
    .returning({ id: savedViews.id });
  return rows.length > 0;
}
