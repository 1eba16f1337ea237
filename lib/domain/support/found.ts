import type { FoundRow } from "@/db/queries/support-search";
import type { SearchKind } from "@/lib/contract/support/search-results";

export type Found = { readonly kind: SearchKind; readonly rows: FoundRow[] };
