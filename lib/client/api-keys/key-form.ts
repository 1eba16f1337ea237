import { TZDate } from "@date-fns/tz";
import type { ApiKey, ApiKeySettings, KeyLimits } from "@/lib/contract/api-keys/api-keys";
import { REFUNDING } from "@/lib/contract/api-keys/limits-text";
import { DEFAULT_UNIT } from "@/lib/contract/currencies";
import type { FieldError } from "@/lib/contract/errors";
import type { Permission } from "@/lib/contract/permissions";
import { amountProblem, minorTyped, plainAmount } from "@/lib/contract/typed-amount";

const EXPIRIES = { kept: null, never: null, "30d": 30, "90d": 90, "1y": 365, date: null } as const;
type ExpiryChoice = keyof typeof EXPIRIES;

/** Form values of a key. */
export type KeyFormValues = {
  name: string;
  permissions: Permission[];
  expiry: ExpiryChoice;
  /** The existing key's expiry, which applies if `expiry` is "kept". */
  kept: string | null;
  /** Calendar date, when `expiry` is "date". */
  expiryDate: string;
  /** Addresses and CIDR blocks, one per line. */
  addresses: string;
  /** Limits on refunds, as typed; empty = none. */
  refundMax: string;
  refundsPerDay: string;
  refundAmountPerDay: string;
  currency: string;
};

/**
 * The end of a day in the merchant's time zone: after a number of days, or on a date. A form sent from two tabs
 * thus requests the same key. Null = never, or no date yet.
 */
export function expiryOf(
  values: Pick<KeyFormValues, "expiry" | "expiryDate" | "kept">,
  now: Date,
  timeZone: string,
): Date | null {
  const endOf = (year: number, month: number, day: number) =>
    new Date(new TZDate(year, month, day, 23, 59, 59, 999, timeZone).getTime());
  const days = EXPIRIES[values.expiry];
  if (days !== null) {
    const today = new TZDate(now, timeZone);
    return endOf(today.getFullYear(), today.getMonth(), today.getDate() + days);
  }
  if (values.expiry === "never") return null;
  if (values.expiry === "kept") return values.kept === null ? null : new Date(values.kept);
  const [year, month, day] = values.expiryDate.split("-").map(Number);
  // Browsers accept six-digit years, which no key's expiry can have.
  if (!year || !month || !day || year >= 9999) return null;
  return endOf(year, month - 1, day);
}

/** Non-empty lines with their line numbers. */
function addressLines(addresses: string): { line: number; entry: string }[] {
  return addresses
    .split(/\r?\n/)
    .map((text, index) => ({ line: index + 1, entry: text.trim() }))
    .filter(({ entry }) => entry !== "");
}

/** Initial form values for a new key or an existing one. */
export function keyFormOf(key: ApiKey | null, permissions: readonly Permission[]): KeyFormValues {
  const limits = key?.limits ?? null;
  const currency = limits?.currency ?? DEFAULT_UNIT;
  const amount = (minor: number | null | undefined) => (typeof minor === "number" ? plainAmount(minor, currency) : "");
  return {
    refundMax: amount(limits?.refund_max),
    refundsPerDay: limits?.refunds_per_day?.toString() ?? "",
    refundAmountPerDay: amount(limits?.refund_amount_per_day),
    currency,
    name: key?.name ?? "",
    permissions: [...(key?.permissions ?? permissions)],
    expiry: key?.expires_at ? "kept" : "never",
    kept: key?.expires_at ?? null,
    expiryDate: "",
    addresses: key?.ip_allow_list.join("\n") ?? "",
  };
}

export function keyBody(values: KeyFormValues, expiresAt: Date | null): ApiKeySettings {
  return {
    name: values.name.trim(),
    permissions: values.permissions,
    expires_at: expiresAt?.toISOString() ?? null,
    ip_allow_list: addressLines(values.addresses).map(({ entry }) => entry),
    limits: limitsTyped(values),
  };
}

/** A key that may not refund has no limits, whatever was typed before. */
export const hasLimits = ({ permissions }: Pick<KeyFormValues, "permissions">): boolean =>
  permissions.some((permission) => REFUNDING.includes(permission));

function limitsTyped(values: KeyFormValues): KeyLimits | null {
  if (!hasLimits(values)) return null;
  const { currency, refundsPerDay } = values;
  const refund_max = minorTyped({ amount: values.refundMax, currency });
  const refund_amount_per_day = minorTyped({ amount: values.refundAmountPerDay, currency });
  const refunds_per_day = refundsPerDay.trim() === "" ? null : Number(refundsPerDay);
  const hasAmount = refund_max !== null || refund_amount_per_day !== null;
  if (!hasAmount && refunds_per_day === null) return null;
  return { refund_max, refunds_per_day, refund_amount_per_day, currency: hasAmount ? currency : null };
}

/** Field → what is wrong with a typed limit. */
export function limitProblems(values: KeyFormValues): Partial<Record<keyof KeyFormValues, string | undefined>> {
  if (!hasLimits(values)) return {};
  const { currency, refundsPerDay } = values;
  const problemOf = (amount: string) =>
    amount.trim() === "" ? undefined : (amountProblem({ amount, currency }) ?? undefined);
  return {
    refundMax: problemOf(values.refundMax),
    refundsPerDay: /^\d{0,6}$/.test(refundsPerDay.trim()) ? undefined : "Enter a whole number.",
    refundAmountPerDay: problemOf(values.refundAmountPerDay),
  };
}

/** The field for a refusal of the API. IP addresses are identified by line. */
export function placeKeyRefusal(
  { param, message }: Pick<FieldError, "param" | "message">,
  values: KeyFormValues,
): readonly [keyof KeyFormValues, string] | null {
  const limit = LIMIT_FIELDS[param];
  if (limit !== undefined) return [limit, message];
  const [member = "", index] = param.split(".");
  const field = FIELDS[member];
  if (field === undefined) return null;
  const line = index === undefined ? undefined : addressLines(values.addresses)[Number(index)]?.line;
  return [field, field === "addresses" && line !== undefined ? `Line ${line}: ${message}` : message];
}

const LIMIT_FIELDS: Readonly<Record<string, keyof KeyFormValues>> = {
  "limits.refund_max": "refundMax",
  "limits.refunds_per_day": "refundsPerDay",
  "limits.refund_amount_per_day": "refundAmountPerDay",
  "limits.currency": "currency",
};

const FIELDS: Readonly<Record<string, keyof KeyFormValues>> = {
  name: "name",
  permissions: "permissions",
  expires_at: "expiry",
  ip_allow_list: "addresses",
};
