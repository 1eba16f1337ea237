import { z } from "zod";
import { type ActivityItem, actionText, activityDetails } from "@/lib/contract/accounts/activity";
import { activityFilterRows, parseActivity } from "@/lib/contract/accounts/activity-filters";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { encodeId } from "@/lib/contract/ids";
import { exportActivity } from "@/lib/domain/accounts/activity";
import { listTeam } from "@/lib/domain/team/team";
import { refuseProblems, stampOf, streamExport } from "./export";
import { type SheetColumn, sheetParts } from "./spreadsheet";
import { majorText } from "./transaction-sheet";

const ENDPOINT = dashboardEndpoint({
  name: "exportActivity",
  method: "GET",
  path: "/{mode}/settings/activity/export",
  permission: "settings.manage",
  status: 200,
  response: z.unknown(),
});

type Column = SheetColumn<ActivityItem>;

const text = (name: string, heading: string, read: Column["read"]): Column => ({ name, heading, kind: "text", read });

/** Files are read by position: new columns go to the end. */
const COLUMNS: readonly Column[] = [
  { name: "at", heading: "Time", kind: "time", read: ({ at }) => at },
  text("who", "Who", ({ actor }) => actor.name),
  text("action", "Action", ({ action }) => action),
  text("what", "What", ({ action }) => actionText(action)),
  text("mode", "Mode", ({ mode }) => mode),
  text("object_id", "Object", ({ objectId }) => objectId),
  {
    name: "amount",
    heading: "Amount",
    kind: "amount",
    read: ({ money }) => money && majorText(money.amount, money.currency),
  },
  text("currency", "Currency", ({ money }) => money?.currency ?? null),
  text("details", "Details", (item) => activityDetails({ ...item, money: null }).join("\n") || null),
  text("id", "Id", ({ id }) => id),
];

/** Streams all activity of the page's query as a file. */
export const activityExportRoute = (request: Request, mode: string): Promise<Response> =>
  streamExport(ENDPOINT, request, { mode }, async ({ ctx, merchant }, style) => {
    const { timeZone } = merchant;
    const members = (await listTeam(ctx)).map(({ id, email }) => ({ id: encodeId("user", id), name: email }));
    const { query, problems } = parseActivity(activityFilterRows(members), new URL(request.url).searchParams);
    refuseProblems(problems);
    return {
      name: `activity-${stampOf(ctx.service.clock.now(), timeZone)}`,
      act: ["settings.activity_exported", { filters: Object.keys(query) }],
      async open() {
        const rows = await exportActivity(ctx, { ...query, timeZone });
        return {
          parts: sheetParts(inOneBatch(rows), COLUMNS, { ...style, title: "Activity" }),
          headers: { "X-Total-Count": String(rows.length) },
        };
      },
    };
  });

async function* inOneBatch<Row>(rows: Row[]): AsyncGenerator<Row[], void> {
  yield rows;
}
