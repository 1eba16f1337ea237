/** Filters of the team's activity, without zod. */
import { readFilter } from "@/lib/contract/lists/address";
import { type FilterRows, oneOfRow } from "@/lib/contract/lists/filters";
import type { TimeRange } from "@/lib/contract/transactions/time-range";

type Area = {
  label: string;
  /** Patterns of SQL's `like` for the names of its acts. */
  acts: readonly string[];
};

const AREAS_OF_SETTINGS = {
  approvals: { label: "Approvals", acts: ["approval\\_request.%", "settings.approvals%"] },
  payouts: { label: "Payouts", acts: ["settings.payout%", "settings.bank%"] },
  exports: { label: "Exports", acts: ["settings.%exported"] },
  security: {
    label: "Sign-ins and security",
    acts: [
      ...["settings.sign%", "settings.session%", "settings.identity%", "settings.proof%"],
      ...["settings.password%", "settings.second_factor%", "settings.recovery%", "settings.email%"],
    ],
  },
} as const satisfies Record<string, Area>;

/** Areas of acts; an act is in exactly one. */
export const ACTIVITY_AREAS = {
  payments: { label: "Payments", acts: ["payment.%", "refund.%", "payment\\_method.%"] },
  subscriptions: { label: "Subscriptions", acts: ["subscription.%", "invoice.%", "portal\\_session.%"] },
  notes: { label: "Notes", acts: ["note.%"] },
  plans: { label: "Plans", acts: ["plan.%"] },
  links: { label: "Payment links", acts: ["payment\\_link.%", "client\\_session.%"] },
  ...AREAS_OF_SETTINGS,
  keys: { label: "API keys and webhooks", acts: ["api\\_key.%", "webhook\\_endpoint.%"] },
  team: { label: "Team", acts: ["team.%"] },
  settings: { label: "Other settings", acts: ["settings.%"] },
  support: { label: "Cardlane’s support", acts: ["support.%"] },
} as const satisfies Record<string, Area>;
type ActivityArea = keyof typeof ACTIVITY_AREAS;

/** Acts on settings that have areas of their own. */
export const ACTS_BESIDES_SETTINGS = Object.values(AREAS_OF_SETTINGS).flatMap(({ acts }) => acts);

/** Stands for Cardlane's support staff among the members. */
export const SUPPORT_STAFF = "support";

export type ActivityQuery = {
  area?: ActivityArea;
  /** Public id of a member, or the support staff. */
  who?: string;
  created?: TimeRange;
};

/** `members`: those who can be chosen. */
export const activityFilterRows = (members: readonly { id: string; name: string }[]): FilterRows => [
  oneOfRow(
    "area",
    "About",
    Object.keys(ACTIVITY_AREAS),
    Object.fromEntries(Object.entries(ACTIVITY_AREAS).map(([area, { label }]) => [area, label])),
  ),
  oneOfRow(
    "who",
    "By",
    [...members.map(({ id }) => id), SUPPORT_STAFF],
    Object.fromEntries([...members.map(({ id, name }) => [id, name]), [SUPPORT_STAFF, "Cardlane’s support"]]),
  ),
  ["created", { kind: "times", param: "created", label: "On", form: "Days" }],
];

/** The filters in an address. `problems`: parameters with an unusable value, which are left out. */
export function parseActivity(rows: FilterRows, params: Iterable<readonly [name: string, value: string]>) {
  const query: Record<string, unknown> = {};
  const problems: { param: string; message: string }[] = [];
  for (const [param, value] of params) {
    const found = rows.find(([, row]) => row.param === param);
    if (!found) continue;
    const read = readFilter(found[1], value);
    if (typeof read === "string") problems.push({ param, message: read });
    else query[found[0]] = Array.isArray(read.value) ? read.value[0] : read.value;
  }
  return { query: query as ActivityQuery, problems };
}
