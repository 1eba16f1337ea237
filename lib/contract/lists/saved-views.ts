import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { humanText, refuseCardNumber, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

/** Lists that have saved views. */
export const SAVED_VIEW_LISTS = ["transactions", "subscriptions", "invoices"] as const;
export type SavedViewList = (typeof SAVED_VIEW_LISTS)[number];
const list = z.enum(SAVED_VIEW_LISTS);

/** Named filters, sort and columns of a list's page. */
export const savedView = z.object({
  id: idOf("savedView"),
  object: z.literal("saved_view"),
  list,
  name: z.string(),
  /** The page's query string, without a question mark. */
  query: z.string(),
  /** Columns in order; null = the page's defaults. */
  columns: z.array(z.string()).nullable(),
  /** Visible to the whole team. */
  shared: z.boolean(),
  /** Owned by the caller, who alone may change it. */
  mine: z.boolean(),
  /** Owner's name or address. */
  owner: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type SavedView = z.infer<typeof savedView>;

export const savedViewList = z.object({ object: z.literal("list"), data: z.array(savedView) });

/** Max views per user, environment and list, and max views shown. */
export const MAX_SAVED_VIEWS = 50;

const name = z.string().trim().pipe(humanText(60));
const query = z.literal("").or(humanText(2_000));
const columns = z
  .array(
    z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,39}$/, "Use the name of a column.")
      .superRefine(refuseCardNumber),
  )
  .min(1)
  .max(60)
  .nullable();

export const createSavedViewBody = z.strictObject({
  list,
  name,
  query,
  columns: columns.default(null),
  shared: z.boolean().default(false),
});
export type CreateSavedViewBody = z.infer<typeof createSavedViewBody>;

export const updateSavedViewBody = z
  .strictObject({ name, query, columns, shared: z.boolean() })
  .partial()
  .refine((body) => Object.keys(body).length > 0, "Say what to change.");
export type UpdateSavedViewBody = z.infer<typeof updateSavedViewBody>;

const BASE = "/api/dashboard/{mode}/saved-views";

export const listSavedViews = dashboardEndpoint({
  name: "listSavedViews",
  method: "GET",
  path: BASE,
  permission: "transaction.search",
  query: z.strictObject({ list }),
  status: 200,
  response: savedViewList,
});

export const createSavedView = dashboardEndpoint({
  name: "createSavedView",
  method: "POST",
  path: BASE,
  permission: "transaction.search",
  body: createSavedViewBody,
  status: 201,
  response: savedView,
});

export const updateSavedView = dashboardEndpoint({
  name: "updateSavedView",
  method: "PATCH",
  path: `${BASE}/{id}`,
  permission: "transaction.search",
  body: updateSavedViewBody,
  status: 200,
  response: savedView,
});

export const deleteSavedView = dashboardEndpoint({
  name: "deleteSavedView",
  method: "DELETE",
  path: `${BASE}/{id}`,
  permission: "transaction.search",
  status: 200,
  response: z.object({ id: idOf("savedView"), deleted: z.literal(true) }),
});
