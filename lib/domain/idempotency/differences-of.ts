import type { Difference } from "@/lib/contract/idempotency/idempotency-key";

type Side = { endpoint: string; body: unknown };

/** What differs between two requests, member by member, as paths: `metadata.order_id`. The endpoint comes first. */
export function differencesOf(first: Side, other: Side): Difference[] {
  const differences: Difference[] = [];
  if (first.endpoint !== other.endpoint) {
    differences.push({ member: "endpoint", first: first.endpoint, other: other.endpoint });
  }
  compare("", first.body ?? {}, other.body ?? {}, differences);
  return differences;
}

/** Members that both sides leave out, or one leaves out and the other says is null, are the same to the API. */
function compare(member: string, first: unknown, other: unknown, differences: Difference[]): void {
  if (isObject(first) && isObject(other)) {
    for (const name of new Set([...Object.keys(first), ...Object.keys(other)])) {
      compare(member ? `${member}.${name}` : name, first[name], other[name], differences);
    }
    return;
  }
  if (JSON.stringify(first ?? null) !== JSON.stringify(other ?? null)) differences.push({ member, first, other });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
