import { TZDate } from "@date-fns/tz";
import type { CreateApiKeyBody } from "@/lib/contract/api-keys/api-keys";
import type { FieldError } from "@/lib/contract/errors";
import type { Permission } from "@/lib/contract/permissions";

const EXPIRIES = { never: null, "30d": 30, "90d": 90, "1y": 365, date: null } as const;
type ExpiryChoice = keyof typeof EXPIRIES;

/** A new key as it stands in the form. */
export type KeyFormValues = {
  name: string;
  permissions: Permission[];
  expiry: ExpiryChoice;
  /** Calendar date, when `expiry` is "date". */
  expiryDate: string;
  /** Addresses and CIDR blocks, one per line. */
  addresses: string;
};

const DAY_MS = 86_400_000;

/** When the key ends: so many days from now, or at the end of a day in the merchant's time zone. Null = never, or no date yet. */
export function expiryOf(
  values: Pick<KeyFormValues, "expiry" | "expiryDate">,
  now: Date,
  timeZone: string,
): Date | null {
  const days = EXPIRIES[values.expiry];
  if (days !== null) return new Date(now.getTime() + days * DAY_MS);
  if (values.expiry === "never") return null;
  const [year, month, day] = values.expiryDate.split("-").map(Number);
  // Browsers let people type years of six digits, which no key's expiry can have.
  if (!year || !month || !day || year >= 9999) return null;
  return new Date(new TZDate(year, month - 1, day, 23, 59, 59, 999, timeZone).getTime());
}

/** The lines that say something, with the numbers they have in the text. */
function addressLines(addresses: string): { line: number; entry: string }[] {
  return addresses
    .split(/\r?\n/)
    .map((text, index) => ({ line: index + 1, entry: text.trim() }))
    .filter(({ entry }) => entry !== "");
}

export function keyBody(values: KeyFormValues, attempt: string, expiresAt: Date | null): CreateApiKeyBody {
  return {
    attempt,
    name: values.name.trim(),
    permissions: values.permissions,
    expires_at: expiresAt?.toISOString() ?? null,
    ip_allow_list: addressLines(values.addresses).map(({ entry }) => entry),
  };
}

type KeyFormErrors = Partial<Record<keyof KeyFormValues, string[]>>;

/** The service's refusals by field of the form, and those that belong to none. An address is named by its line. */
export function keyFormErrors(
  errors: readonly Pick<FieldError, "param" | "message">[],
  values: KeyFormValues,
): { fields: KeyFormErrors; others: string[] } {
  const fields: KeyFormErrors = {};
  const others: string[] = [];
  const lines = addressLines(values.addresses);
  for (const { param, message } of errors) {
    const [member = "", index] = param.split(".");
    const field = FIELDS[member];
    if (field === undefined) others.push(message);
    else {
      const line = field === "addresses" && index !== undefined ? lines[Number(index)]?.line : undefined;
      fields[field] = [...(fields[field] ?? []), line === undefined ? message : `Line ${line}: ${message}`];
    }
  }
  return { fields, others };
}

const FIELDS: Readonly<Record<string, keyof KeyFormValues>> = {
  name: "name",
  permissions: "permissions",
  expires_at: "expiry",
  ip_allow_list: "addresses",
};
