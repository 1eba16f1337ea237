import type { Piece, SearchResult } from "./search";

const KINDS: Record<SearchResult["kind"], string> = {
  guide: "Guide",
  change: "Changelog",
  endpoint: "Endpoint",
  parameter: "Parameter",
  object: "Object",
  error: "Error code",
  event: "Event",
  card: "Test card",
};

/** A result: its place, heading and text, with the search terms marked. */
export function ResultText({ result: { kind, title, place, excerpt } }: { result: SearchResult }) {
  return (
    <>
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 break-words font-medium text-ink">
          <Marked pieces={title} />
        </span>
        <span className="ml-auto shrink-0 text-soft text-xs">{KINDS[kind]}</span>
      </span>
      <span className="block break-words text-soft text-xs">
        <Marked pieces={place} />
      </span>
      <span className="mt-0.5 block break-words text-[13px] text-soft">
        <Marked pieces={excerpt} />
      </span>
    </>
  );
}

function Marked({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ text, marked }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a fixed text never move
    marked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
  );
}

export function Results({ results }: { results: readonly SearchResult[] }) {
  return (
    <ol className="mt-4 divide-y border-y empty:hidden">
      {results.map((result) => (
        <li key={result.href}>
          <a href={result.href} className="block px-2 py-3 hover:bg-raised">
            <ResultText result={result} />
          </a>
        </li>
      ))}
    </ol>
  );
}
