import type { Mode } from "@/lib/contract/transactions/words";

/** Detail pages, whose object exists in one environment only → their list in the other. */
const LISTS: Record<string, string> = {
  payments: "/transactions",
  transactions: "/transactions",
  customers: "/customers",
  plans: "/plans",
  checkout: "/checkout",
};
const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/**
 * The same page in another environment, with its filters. A detail page becomes its list; other references to
 * this environment's objects (an open panel, a saved view) and the page number are dropped.
 */
export function otherModePath(pathname: string, search: URLSearchParams, mode: Mode): string {
  const [section = "", ...rest] = pathname.split("/").slice(2);
  const list = section === "developers" ? `/developers/${rest[0]}` : LISTS[section];
  const isDetail = rest.some((part) => ID.test(part));
  const path = isDetail
    ? (list ?? "")
    : [section, ...rest]
        .filter(Boolean)
        .map((part) => `/${part}`)
        .join("");
  if (isDetail) return `/${mode}${path}`;
  const kept = new URLSearchParams(
    [...search].filter(([name, value]) => !["panel", "view", "page", "key"].includes(name) && !ID.test(value)),
  ).toString();
  return `/${mode}${path}${kept ? `?${kept}` : ""}`;
}
