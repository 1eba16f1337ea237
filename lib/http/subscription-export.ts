import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { usedIn } from "@/lib/contract/lists/filters";
import { lengthText } from "@/lib/contract/plans/schedule";
import {
  type ListedSubscription,
  parseSubscriptions,
  SUBSCRIPTION_FILTER_ROWS,
} from "@/lib/contract/subscriptions/list";
import { SUBSCRIPTION_STATUS_LABELS } from "@/lib/contract/subscriptions/statuses";
import { exportSubscriptions } from "@/lib/domain/subscriptions/search-subscriptions";
import { listExportRoute } from "./list-export";
import type { SheetColumn } from "./spreadsheet";
import { majorText } from "./transaction-sheet";

const ENDPOINT = dashboardEndpoint({
  name: "exportSubscriptions",
  method: "GET",
  path: "/{mode}/subscriptions/export",
  permission: "subscription.read",
  status: 200,
  response: z.unknown(),
});

type Column = SheetColumn<ListedSubscription>;
type TextMember = {
  [N in keyof ListedSubscription]: ListedSubscription[N] extends string | null ? N : never;
}[keyof ListedSubscription];
type TimeMember = Extract<TextMember, `${string}_at`>;

const text = (name: TextMember, heading: string): Column => ({ name, heading, kind: "text", read: (row) => row[name] });
const time = (name: TimeMember, heading: string): Column => ({ name, heading, kind: "time", read: (row) => row[name] });
const of = (name: string, heading: string, kind: Column["kind"], read: Column["read"]): Column => ({
  name,
  heading,
  kind,
  read,
});

/** Files are read by position: new columns go to the end. */
const COLUMNS: readonly Column[] = [
  text("id", "Subscription id"),
  { ...text("status", "Status"), word: ({ status }) => SUBSCRIPTION_STATUS_LABELS[status] },
  text("customer_id", "Customer id"),
  text("customer_email", "E-mail"),
  text("plan_id", "Plan id"),
  of("plan_name", "Plan", "text", ({ plan }) => plan.name),
  of("quantity", "Quantity", "number", ({ quantity }) => quantity),
  of("amount", "Amount of a period", "amount", ({ plan, quantity, currency }) =>
    majorText(plan.amount * quantity, currency),
  ),
  text("currency", "Currency"),
  of("interval", "Every", "text", ({ plan }) => lengthText(plan.interval)),
  of("period_start_at", "Period from", "time", ({ period }) => period?.start_at ?? null),
  of("period_end_at", "Period to", "time", ({ period }) => period?.end_at ?? null),
  time("trial_end_at", "Trial ends"),
  time("next_invoice_at", "Next invoice"),
  of("next_invoice_amount", "Next invoice amount", "amount", ({ next_invoice_amount: amount, currency }) =>
    amount === null ? null : majorText(amount, currency),
  ),
  of("unpaid_amount", "Unpaid", "amount", ({ unpaid, currency }) => unpaid && majorText(unpaid.amount_due, currency)),
  of("next_attempt_at", "Next attempt", "time", ({ unpaid }) => unpaid?.next_attempt_at ?? null),
  of("credit", "Credit", "amount", ({ credit, currency }) => majorText(credit, currency)),
  of("card_last4", "Card (last 4)", "text", ({ card }) => card?.last4 ?? null),
  of("cancel_at_period_end", "Ends with the period", "text", (row) => (row.cancel_at_period_end ? "yes" : "no")),
  time("cancelled_at", "Cancelled"),
  time("ended_at", "Ended"),
  text("cancel_reason", "Cancellation reason"),
  time("paused_at", "Paused"),
  of("metadata", "Metadata", "text", ({ metadata }) =>
    Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
  ),
  time("created_at", "Created"),
  time("updated_at", "Updated"),
  text("customer_name", "Customer"),
];

/** Streams all subscriptions of the page's query as a file. */
export const subscriptionExportRoute = (request: Request, mode: string): Promise<Response> =>
  listExportRoute(request, mode, {
    endpoint: ENDPOINT,
    what: "subscriptions",
    title: "Subscriptions",
    columns: () => COLUMNS,
    parse: parseSubscriptions,
    used: (query) => usedIn(SUBSCRIPTION_FILTER_ROWS, query).map(({ name }) => name),
    open: exportSubscriptions,
  });
