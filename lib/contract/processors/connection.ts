import { z } from "zod";
import { isSupportedCurrency } from "@/lib/contract/currencies";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { humanText, text, timestamp } from "@/lib/contract/fields";
import { idInput } from "@/lib/contract/ids";
import { CARD_BRANDS } from "@/lib/contract/transactions/words";
import { DAYS_TO_COMPARE } from "./reconciliation";

export const CONNECTION_STATUSES = ["CONNECTED", "DISCONNECTED"] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** A merchant's account at a processor, without its credentials. */
export const connection = z.object({
  id: z.string(),
  /** Key of the connector, such as `stripe`. */
  processor: z.string(),
  label: z.string(),
  /** The account's name or id at the processor. */
  account: z.string(),
  status: z.enum(CONNECTION_STATUSES),
  /** Masked form of the credentials. */
  hint: z.string(),
  /** True if the webhook signing secret is set. */
  takes_webhooks: z.boolean(),
  raw_cards: z.boolean(),
  /** Keys of the metadata passed on to the processor. */
  metadata_keys: z.array(z.string()),
  is_default: z.boolean(),
  webhook_url: z.string(),
  last_webhook_at: timestamp.nullable(),
  checked_at: timestamp,
  /** Problem found by the last check; null if it works. */
  check_problem: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Connection = z.infer<typeof connection>;

const rule = z.strictObject({
  /** Null matches any currency. */
  currency: z.string().refine(isSupportedCurrency, "Use an ISO 4217 currency such as EUR.").nullable(),
  brand: z.enum(CARD_BRANDS).nullable(),
  connection_id: idInput,
});
/** Ordered: the first match decides. */
export type RoutingRule = z.infer<typeof rule>;
const MAX_RULES = 50;
const MAX_METADATA_KEYS = 20;

/**
 * By the connector's field names; an empty one is absent. They are sealed, so no card number check is needed.
 */
const credentials = z.record(
  z.string().regex(/^[a-z][A-Za-z0-9_]{0,40}$/, "has no such field."),
  z.string().trim().max(4_000),
);
const label = humanText(100).refine((text) => text.trim() !== "", "Give it a name.");

export const connectProcessorBody = z.strictObject({ processor: z.string().max(50), label, credentials });
export type ConnectProcessorBody = z.infer<typeof connectProcessorBody>;
/** Absent members stay unchanged. `credentials` has only the changed fields. */
export const changeConnectionBody = z.strictObject({
  label: label.optional(),
  raw_cards: z.boolean().optional(),
  metadata_keys: z.array(text(40)).max(MAX_METADATA_KEYS).optional(),
  is_default: z.literal(true).optional(),
  credentials: credentials.optional(),
});
export type ChangeConnectionBody = z.infer<typeof changeConnectionBody>;
export const replaceRulesBody = z.strictObject({ rules: z.array(rule).max(MAX_RULES) });

const BASE = "/api/dashboard/{mode}/processors";
/** These credentials can move money. */
const base = { permission: "settings.manage", reauthentication: "live", verified: "live", status: 200 } as const;

export const connectProcessor = dashboardEndpoint({
  ...base,
  status: 201,
  name: "connectProcessor",
  method: "POST",
  path: BASE,
  body: connectProcessorBody,
  response: connection,
  costly: true,
});

export const changeConnection = dashboardEndpoint({
  ...base,
  name: "changeConnection",
  method: "PATCH",
  path: `${BASE}/{id}`,
  body: changeConnectionBody,
  response: connection,
  costly: true,
});

/**
 * Checks the connection at the processor. It changes only our status, so it requires no re-authentication.
 */
export const checkConnection = dashboardEndpoint({
  ...base,
  reauthentication: undefined,
  verified: undefined,
  name: "checkConnection",
  method: "POST",
  path: `${BASE}/{id}/check`,
  body: z.strictObject({}),
  response: connection,
  costly: true,
});

/**
 * Requests a comparison with the processor's own list. It changes no payment, so it requires no
 * re-authentication.
 */
export const compareProcessor = dashboardEndpoint({
  ...base,
  reauthentication: undefined,
  verified: undefined,
  status: 201,
  name: "compareProcessor",
  method: "POST",
  path: `${BASE}/{id}/compare`,
  body: z.strictObject({ days: z.literal(DAYS_TO_COMPARE) }),
  response: z.object({ id: z.string() }),
  costly: true,
});

export const disconnectProcessor = dashboardEndpoint({
  ...base,
  name: "disconnectProcessor",
  method: "POST",
  path: `${BASE}/{id}/disconnect`,
  body: z.strictObject({}),
  response: connection,
});

export const replaceRules = dashboardEndpoint({
  ...base,
  name: "replaceRules",
  method: "PATCH",
  path: `${BASE}/rules`,
  body: replaceRulesBody,
  response: z.object({ rules: z.array(rule) }),
});
