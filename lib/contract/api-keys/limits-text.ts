import { moneyText } from "@/lib/contract/format";
import type { Permission } from "@/lib/contract/permissions";
import type { KeyLimits } from "./api-keys";

/** Permissions with which a key refunds: a subscription may be cancelled with a refund. */
export const REFUNDING: readonly Permission[] = ["transaction.refund", "subscription.write"];

/** A key's limits in words. */
export function limitsText({ refund_max, refunds_per_day, refund_amount_per_day, currency }: KeyLimits): string {
  const amount = (minor: number) => moneyText(minor, currency as string);
  return [
    ...(refund_max === null ? [] : [`${amount(refund_max)} a refund`]),
    ...(refunds_per_day === null ? [] : [`${refunds_per_day} ${refunds_per_day === 1 ? "refund" : "refunds"} a day`]),
    ...(refund_amount_per_day === null ? [] : [`${amount(refund_amount_per_day)} a day`]),
  ].join(", ");
}

/** The time that a rotated key still works, counted from when its successor is collected. */
export const overlapText = (hours: number): string =>
  hours === 0
    ? "Until the new one is collected"
    : `Until ${hours} ${hours === 1 ? "hour" : "hours"} after the new one is collected`;
