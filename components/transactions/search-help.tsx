const PLAIN: [example: string, meaning: string][] = [
  ["4242", "last four digits of the card"],
  ["anna@example.com", "the customer’s e-mail"],
  ["pay_… or txn_…", "opens the payment"],
  ["$50 or 49.90", "exactly this amount"],
  ["over $50, last week, declined visa", "plain words work, too"],
];

const OPERATORS: [example: string, meaning: string][] = [
  ["status:declined,failed", "any of these statuses"],
  ["brand:visa", "card brand"],
  ["amount:>50", "also >=, <, <=, 20..50, >5000jpy"],
  ["created:last-week", "also today, last-30-days, this-month"],
  ["created:>=2026-11-01", "also 2026-11-01..2026-11-20"],
  ["email:anna@example.com", "e-mail, in any case"],
  ["customer:c_17", "your own customer id"],
  ["subscription:sub_…", "subscription"],
  ["last4:4242", "last four digits"],
];

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
        <code>customer:"anna smith"</code>. Amounts compare the number alone, in any currency.
      </p>
    </>
  );
}

function Examples({ of }: { of: readonly [string, string][] }) {
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
