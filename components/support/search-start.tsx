import Link from "next/link";
import { Banner } from "@/components/ui/banner";
import { buttonStyles } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import { SEARCH_LIMIT } from "@/lib/contract/support/search-results";
import { SEARCH_EXAMPLES } from "./search-help";

type SearchStartProps = {
  searches: readonly { text: string; at: string }[];
  unknown: { all: number; waiting: number };
};

/** Before anything was looked for: what waits, what was looked for last, what can be found. */
export function SearchStart({ searches, unknown }: SearchStartProps) {
  return (
    <div className="flex flex-col gap-4">
      {unknown.all > 0 && <UnknownNotice {...unknown} />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Card
          title="What can be found"
          description={`Of each kind at most ${SEARCH_LIMIT} are shown, the newest first. Ids, addresses and keys must be whole.`}
        >
          <dl className="flex flex-col gap-2.5">
            {SEARCH_EXAMPLES.map(({ what, how, finds }) => (
              <div key={what} className="grid gap-x-4 sm:grid-cols-[8rem_minmax(0,1fr)_minmax(0,1fr)]">
                <dt className="font-medium">{what}</dt>
                <dd>{how}</dd>
                <dd className="text-soft">{finds}</dd>
              </div>
            ))}
          </dl>
        </Card>
        <Card title="Your last searches" flush>
          {searches.length === 0 ? (
            <p className="p-4 text-[13px] text-soft">None yet.</p>
          ) : (
            <ul className="divide-y">
              {searches.map(({ text, at }) => (
                <li key={text} className="flex items-baseline gap-3 px-4 py-2 text-[13px]">
                  <Link
                    href={`/support?q=${encodeURIComponent(text)}`}
                    prefetch={false}
                    className="min-w-0 flex-1 truncate text-accent hover:underline"
                  >
                    {text}
                  </Link>
                  <Time at={at} style="relative" className="text-soft text-xs" />
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>
    </div>
  );
}

function UnknownNotice({ all, waiting }: { all: number; waiting: number }) {
  return (
    <Banner
      tone={waiting > 0 ? "red" : "amber"}
      title={
        all === 1 ? "The outcome of one operation is not known" : `The outcomes of ${all} operations are not known`
      }
      actions={
        <Link href="/support/unknown-outcomes" prefetch={false} className={buttonStyles({ size: "sm" })}>
          Open the queue
        </Link>
      }
    >
      {waiting === 0
        ? "Asked about by themselves, for 24 hours."
        : `${waiting === all ? (all === 1 ? "It" : "All") : waiting} ${waiting === 1 ? "waits" : "wait"} for you: over a day old, no longer asked about.`}
    </Banner>
  );
}
