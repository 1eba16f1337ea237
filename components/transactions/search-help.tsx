import { FILTER_DETAILS } from "@/lib/contract/transactions/filter-details";

const PLAIN: [example: string, meaning: string][] = [
  ["anna order", "beginnings of words: name, e-mail, customer, description, metadata"],
  ["4242", "last four digits of the card"],
  ["anna@example.com", "the customer’s e-mail"],
  ["pay_… or txn_…", "opens the payment"],
  ["$50 or 49.90", "exactly this amount"],
  ["over $50, last week, declined visa", "plain words work, too"],
];

const OPERATORS = Object.values(FILTER_DETAILS).flatMap(({ help }) => help);

/** What the search box understands. */
export function SearchHelp() {
  return (
    <>
      <p className="font-medium">Type what you know</p>
      <Examples of={PLAIN} />
      <p className="mt-3 font-medium">Or say exactly what</p>
      <Examples of={OPERATORS} />
      <p className="mt-3 text-soft text-xs">
        Everything must match. Enter turns the words into filters; quotes keep words together:{" "}
        <code>customer:"anna smith"</code>. An amount without a currency means the one you use most: <code>50 eur</code>{" "}
        means euros.
      </p>
    </>
  );
}

function Examples({ of }: { of: readonly (readonly [string, string])[] }) {
  return (
    <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs leading-5">
      {of.map(([example, meaning]) => (
        <div key={example} className="contents">
          <dt className="font-mono">{example}</dt>
          <dd className="text-soft">{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
