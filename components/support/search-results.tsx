import Link from "next/link";
import { Banner } from "@/components/ui/banner";
import { Card, Money } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { cardText } from "@/lib/contract/format";
import { SEARCH_GROUPS, SEARCH_LIMIT, type SearchAnswer, type SearchHit } from "@/lib/contract/support/search-results";
import { ModeBadge, OPERATION_WORDS, PlainStatus } from "./labels";

/** Hits by kind. Said plainly: how the text was read, and where there is more than is shown. */
export function SearchResults({ answer }: { answer: SearchAnswer }) {
  const { groups, readAs, text } = answer;
  const count = groups.reduce((sum, group) => sum + group.hits.length, 0);
  const capped = groups.some((group) => group.capped);
  return (
    <>
      <output className="mb-4 block text-[13px] text-soft [overflow-wrap:anywhere]">
        {count === 0 ? "Nothing" : `${count}${capped ? " or more" : ""} found`} for{" "}
        <strong className="font-medium text-ink">{text}</strong>, read as {readAs.join("; or ")}.
      </output>
      {groups.length === 0 ? (
        <NothingFound />
      ) : (
        <div className="flex flex-col gap-4">
          {groups.map(({ kind, hits, capped: more }) => (
            <Card key={kind} title={`${SEARCH_GROUPS[kind]} (${hits.length}${more ? "+" : ""})`} flush>
              <ul className="divide-y">
                {hits.map((hit) => (
                  <Hit key={`${hit.id} ${hit.merchant?.id} ${hit.mode}`} hit={hit} />
                ))}
              </ul>
              {more && (
                <p className="border-t px-4 py-2 text-[13px] text-soft">
                  The newest {SEARCH_LIMIT} are shown, and there are more. Search by something only one of them has.
                </p>
              )}
            </Card>
          ))}
        </div>
      )}
    </>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  const { id, href, email, merchant, mode, status, amount, currency, at } = hit;
  const title = titleOf(hit);
  return (
    <li className="relative grid gap-x-4 gap-y-1 px-4 py-2.5 text-[13px] hover:bg-raised sm:grid-cols-[minmax(0,1fr)_14rem_9rem]">
      <div className="min-w-0">
        {href === null ? (
          <span className="font-medium [overflow-wrap:anywhere]">{title}</span>
        ) : (
          <Link
            href={href}
            prefetch={false}
            className="font-medium text-accent after:absolute after:inset-0 hover:underline [overflow-wrap:anywhere]"
          >
            {title}
          </Link>
        )}
        {(title !== id || email) && (
          <p className="flex min-w-0 flex-wrap gap-x-3 text-soft">
            {title !== id && <span className="min-w-0 truncate font-mono text-xs leading-5">{id}</span>}
            {email && <span className="min-w-0 truncate">{email}</span>}
          </p>
        )}
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 sm:block">
        {merchant && <p className="min-w-0 truncate">{merchant.name}</p>}
        <p className="flex flex-wrap items-center gap-1.5 sm:mt-0.5">
          {mode && <ModeBadge mode={mode} />}
          {status && <PlainStatus status={status} />}
        </p>
      </div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 sm:block sm:text-right">
        {amount !== null && currency !== null && <Money amount={amount} currency={currency} className="block" />}
        {at && <Time at={at} className="text-soft text-xs" />}
      </div>
    </li>
  );
}

/** What it is, in words, as far as it is more than an id. */
function titleOf({ title, card }: SearchHit): string {
  const words = TITLE_WORDS[title] ?? title;
  return card ? `${words} · ${cardText(card.brand, card.last4)}` : words;
}

const TITLE_WORDS: Readonly<Record<string, string>> = { CHARGE: "Charge", REFUND: "Refund", ...OPERATION_WORDS };

function NothingFound() {
  return (
    <EmptyState
      title="Nothing found in any merchant's data"
      description={
        <>
          Ids, e-mail addresses and keys must be whole. Requests that only read leave no trace, and refused ones are
          kept for 30 days. What can be found: {WHAT_CAN_BE_FOUND}.
        </>
      }
    />
  );
}

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

/** In one sentence; the start page has the table. */
const WHAT_CAN_BE_FOUND =
  "ids that begin with pay_, txn_, key_, mer_, env_, plan_, cs_, batch_, evt_, req_, usr_ or sub_, operations by their UUID, e-mail addresses, last 4 digits, amounts, idempotency keys, customer ids and merchant names";

const SEARCH_EXAMPLES: readonly { what: string; how: string; finds: string }[] = [
  {
    what: "Id",
    how: "pay_…, txn_…, key_…, mer_…, req_…, usr_… and the others",
    finds: "That one thing, whoever's it is",
  },
  { what: "E-mail address", how: "anna@example.com", finds: "A customer's transactions, and people who sign in" },
  { what: "Last 4 digits", how: "4242", finds: "The newest transactions with such a card" },
  {
    what: "Amount",
    how: "12.34, $12.34 or 12.34 EUR",
    finds: "Transactions of exactly that amount, in any currency if none is given",
  },
  { what: "Request", how: "req_…", finds: "What the request began, or why it was refused" },
  { what: "Idempotency key", how: "the whole key", finds: "Its first use, and the payment" },
  { what: "Operation", how: "its UUID, as the processor knows it", finds: "The payment it belongs to" },
  { what: "Merchant", how: "any part of the name", finds: "The merchant" },
];
