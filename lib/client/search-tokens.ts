/** A word of the search box: `status:declined` has an operator, `"anna smith"` is one word. */
export type SearchToken = { raw: string; operator: string | null; value: string };

const TOKEN = /(?:([a-z][a-z0-9_]{0,39}):)?(?:"([^"]*)"?|(\S+))|([a-z][a-z0-9_]{0,39}):/gi;

/** Words apart, quotes kept together; an operator without a value has an empty one. */
export function searchTokens(text: string): SearchToken[] {
  return [...text.matchAll(TOKEN)].map(([raw, operator, quoted, plain, bare]) => ({
    raw,
    operator: (operator ?? bare)?.toLowerCase() ?? null,
    value: quoted ?? plain ?? "",
  }));
}
