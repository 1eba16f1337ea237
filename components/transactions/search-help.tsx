import { FILTER_DETAILS } from "@/lib/contract/transactions/filter-details";

const PLAIN: [example: string, meaning: string][] = [
  ["obrien order", "beginnings of words: name, e-mail, customer, description, metadata"],
  ["1001", "an order’s number, or the last four digits of a card"],
  ["card 4242", "the last four digits of a card"],
  ["anna@example.com", "the customer’s e-mail"],
  ["pay_…, txn_…, inv_… or pm_…", "opens the payment, invoice or card"],
  ["$50, 49.90 or 49,90 €", "exactly this amount"],
  ["over $50, €50 to €60", "amounts of a range"],
  ["refund yesterday, declined visa last week", "plain words work, too"],
];

const OPERATORS = Object.values(FILTER_DETAILS).flatMap(({ help }) => help);

/** Syntax of the search box. */
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
