import { Actor } from "@/components/payments/actor";
import { Card } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { Time } from "@/components/ui/time";
import type { Difference, KeyDetail } from "@/lib/contract/dashboard/idempotency-key";

/** What else the key was used for, which was refused: what differed, member by member. */
export function KeyReuse({ detail }: { detail: KeyDetail }) {
  const { reuse, reuse_count: count } = detail;
  if (!reuse) return null;
  return (
    <Card
      title={count === 1 ? "Refused once for another request" : `Refused ${count} times for other requests`}
      description={
        <>
          The last one <Time at={reuse.at} />, by <Actor actor={reuse.actor} />
        </>
      }
      actions={<CopyId id={reuse.request_id} short label="Copy request id" />}
      flush
    >
      {reuse.differences.length === 0 ? (
        <p className="p-4 text-[13px]">
          Everything that is kept is the same. What differs is not kept: the card number or the payment token.
        </p>
      ) : (
        <Differences differences={reuse.differences} />
      )}
    </Card>
  );
}

function Differences({ differences }: { differences: Difference[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label="Differences" tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-[13px]">
        <caption className="sr-only">Members that differ between the first request and the last refused one</caption>
        <thead className="text-soft text-xs">
          <tr className="border-b [&>th]:px-4 [&>th]:py-1.5 [&>th]:font-medium">
            <th scope="col">Member</th>
            <th scope="col">First request</th>
            <th scope="col">Refused request</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ member, first, other }) => (
            <tr key={member} className="border-b align-top last:border-0 [&>*]:px-4 [&>*]:py-2">
              <th scope="row" className="whitespace-nowrap font-medium font-mono text-xs">
                {member}
              </th>
              <td>
                <Value value={first} />
              </td>
              <td>
                <Value value={other} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return <span className="text-soft">left out</span>;
  return (
    <code className="font-mono text-xs [overflow-wrap:anywhere]">
      {typeof value === "string" ? value : JSON.stringify(value)}
    </code>
  );
}
