import { TOTAL_CAP } from "@/lib/contract/fields";

export type ListAnswer<Item> = {
  object: "list";
  data: Item[];
  limit: number;
  offset: number;
  has_more: boolean;
  total: number;
  total_capped: boolean;
};

/** A page as the API shows it. `found.total` counts to one more than the cap. */
export function listAnswer<Item>(
  data: Item[],
  found: { hasMore: boolean; total: number },
  limit: number,
  offset: number,
): ListAnswer<Item> {
  return {
    object: "list",
    data,
    limit,
    offset,
    has_more: found.hasMore,
    total: Math.min(found.total, TOTAL_CAP),
    total_capped: found.total > TOTAL_CAP,
  };
}

export function emptyList(limit: number, offset: number): ListAnswer<never> {
  return listAnswer([], { hasMore: false, total: 0 }, limit, offset);
}
