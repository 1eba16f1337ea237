import MiniSearch from "minisearch";

/** Entry of the search index. */
export type SearchDocument = {
  href: string;
  kind: "guide" | "endpoint" | "parameter" | "object" | "error" | "event" | "card" | "change";
  title: string;
  /** Place of the entry: a page, a method and path, or an endpoint. */
  place: string;
  text: string;
  /** Another spelling of the title. */
  also?: string;
};

/** A piece of text; marked if it matches a search term. */
export type Piece = { text: string; marked: boolean };
export type SearchResult = Pick<SearchDocument, "href" | "kind"> & { title: Piece[]; place: Piece[]; excerpt: Piece[] };
export type DocsSearch = (question: string, limit: number) => SearchResult[];

const WEIGHT: Record<SearchDocument["kind"], number> = {
  guide: 1.4,
  endpoint: 1.4,
  error: 1.2,
  event: 1.1,
  card: 1,
  object: 1,
  parameter: 0.7,
  change: 0.5,
};

// A number with one different digit is a different number.
const fuzzy = (term: string) => (term.length > 3 && !/\d/.test(term) ? 0.2 : false);
/** Search modes, each tried if the one before it finds nothing. */
const WAYS = [{ combineWith: "AND" }, { combineWith: "AND", fuzzy }, { combineWith: "OR", fuzzy }] as const;

/** Max search terms; more would only take time. */
const MAX_TERMS = 10;

const WORD = /[\p{L}\p{N}]+/gu;
const words = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** Finds documents that contain all terms, each as a prefix or with a typo, or else some of them. */
export function createSearch(documents: readonly SearchDocument[]): DocsSearch {
  const index = new MiniSearch<SearchDocument & { id: number }>({
    fields: ["title", "place", "text", "also"],
    tokenize: words,
    searchOptions: {
      boost: { title: 5, also: 5, place: 2 },
      prefix: true,
      weights: { fuzzy: 0.2, prefix: 0.6 },
      boostDocument: (id) => WEIGHT[(documents[id as number] as SearchDocument).kind],
    },
  });
  index.addAll(documents.map((document, id) => ({ ...document, id })));
  return (typed, limit) => {
    const question = [...new Set(words(typed))].slice(0, MAX_TERMS).join(" ");
    const found = WAYS.map((way) => index.search(question, way)).find((results) => results.length > 0) ?? [];
    const query = typed.trim().toLowerCase();
    const letters = words(query).join(" ");
    const distance = ({ title, also }: SearchDocument) =>
      query === title.toLowerCase() || letters === also ? 0 : letters === words(title).join(" ") ? 1 : 2;
    return found
      .map(({ id, match }) => ({ document: documents[id as number] as SearchDocument, match }))
      .sort((a, b) => distance(a.document) - distance(b.document))
      .slice(0, limit)
      .map(({ document: { href, kind, title, place, text, also }, match }) => {
        const terms = new Set(Object.keys(match));
        return {
          href,
          kind,
          title: also !== undefined && terms.has(also) ? [{ text: title, marked: true }] : marked(title, terms),
          place: marked(place, terms),
          excerpt: marked(excerptOf(text, terms), terms),
        };
      });
  };
}

/** Splits a text where its marks begin and end. */
function marked(text: string, terms: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!terms.has(word.toLowerCase())) continue;
    if (index > at) pieces.push({ text: text.slice(at, index), marked: false });
    pieces.push({ text: word, marked: true });
    at = index + word.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return pieces;
}

const EXCERPT_LENGTH = 150;
const BEFORE = 40;

/** The part of a text around the first matching term. */
function excerptOf(text: string, terms: ReadonlySet<string>): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  const first = [...text.matchAll(WORD)].find(([word]) => terms.has(word.toLowerCase()))?.index ?? 0;
  const from = first <= BEFORE ? 0 : text.indexOf(" ", first - BEFORE) + 1;
  const end = text.lastIndexOf(" ", from + EXCERPT_LENGTH);
  const to = text.length <= from + EXCERPT_LENGTH || end <= first ? from + EXCERPT_LENGTH : end;
  return `${from > 0 ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
}

/** The search with its index, for browsers. Throws if the index can't be fetched. */
export async function loadSearch(): Promise<DocsSearch> {
  const { ok, status, body } = await fetch("/docs/search.json.gz");
  if (!ok || !body) throw new Error(`The search's documents: ${status}`);
  const unpacked = new Response(body.pipeThrough(new DecompressionStream("gzip")));
  return createSearch((await unpacked.json()) as SearchDocument[]);
}
