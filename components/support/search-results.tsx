import Link from "next/link";
import { LinkGroup } from "@/components/reporting/link-group";
import { Banner } from "@/components/ui/banner";
import { Card, Money } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { filterChips } from "@/lib/client/lists/filter-chips";
import { cardText } from "@/lib/contract/format";
import {
  MAX_PAGES,
  RECENT_DAYS,
  SEARCH_GROUPS,
  SEARCH_LIMIT,
  type SearchHit,
  type SearchKind,
  type SearchResponse,
  type TransactionSearch,
} from "@/lib/contract/support/search-results";
import { FILTER_ROWS } from "@/lib/contract/transactions/filters";
import { ModeBadge, OPERATION_WORDS, PlainStatus } from "./labels";

/** Hits by kind, with the interpretation of the query, and a note if there are more hits than shown. */
export function SearchResults({ answer }: { answer: SearchResponse }) {
  const { groups, text, transactions } = answer;
  const readAs = [...answer.readAs, ...(transactions ? readAsOf(transactions) : [])];
  const before = transactions ? (transactions.page - 1) * SEARCH_LIMIT : 0;
  const isPastEnd =
    before > 0 && transactions?.problems.length === 0 && !groups.some(({ kind }) => kind === "transaction");
  const count = groups.reduce((sum, { kind, hits }) => sum + hits.length + (kind === "transaction" ? before : 0), 0);
  const capped = groups.some((group) => group.capped);
  const isUnknown = groups.length === 0 && (transactions?.problems.length ?? 0) > 0;
  return (
    <>
      <output className="mb-4 block text-[13px] text-soft [overflow-wrap:anywhere]">
        {isUnknown || isPastEnd
          ? "Searched"
          : count === 0
            ? "Nothing found"
            : `${count.toLocaleString("en-US")}${capped ? " or more" : ""} found`}{" "}
        for <strong className="font-medium text-ink">{text}</strong>.
        {transactions?.reach === "recent" && (
          <>
            {" "}
            Only transactions of the last {RECENT_DAYS} days were searched.{" "}
            <Link
              href={addressOf(text, { ...transactions, reach: "all" })}
              prefetch={false}
              className="text-accent underline underline-offset-2"
            >
              Search all time
            </Link>
          </>
        )}
        {readAs.length > 0 && (
          <span className="mt-2 flex flex-wrap items-center gap-1.5">
            Read as
            {readAs.map((meaning) => (
              <span key={meaning} className="rounded-full border px-2.5 py-0.5 text-ink">
                {meaning}
              </span>
            ))}
          </span>
        )}
      </output>
      {transactions?.problems.map((problem) => (
        <Banner key={problem} tone="amber" title="Part of the search was ignored" className="mb-4">
          {problem}
        </Banner>
      ))}
      {isPastEnd && transactions && <PastEnd text={text} search={transactions} />}
      {groups.length === 0 ? (
        !isUnknown && !isPastEnd && <NothingFound />
      ) : (
        <div className="flex flex-col gap-4">
          {groups.map(({ kind, hits, capped: more }) => (
            <Card
              key={kind}
              title={`${SEARCH_GROUPS[kind]} (${(hits.length + (kind === "transaction" ? before : 0)).toLocaleString("en-US")}${more ? "+" : ""})`}
              actions={kind === "transaction" && transactions && <SortLinks text={text} search={transactions} />}
              flush
            >
              <ul className="divide-y">
                {hits.map((hit) => (
                  <Hit key={`${hit.id} ${hit.merchant?.id} ${hit.mode}`} kind={kind} hit={hit} />
                ))}
              </ul>
              {kind === "transaction" && transactions ? (
                <Pages text={text} search={transactions} hits={hits} />
              ) : (
                more && (
                  <p className="border-t px-4 py-2 text-[13px] text-soft">
                    The newest {SEARCH_LIMIT} are shown. There are more: narrow the search.
                  </p>
                )
              )}
            </Card>
          ))}
        </div>
      )}
    </>
  );
}

/** The transaction filters in words, with days in UTC. */
const readAsOf = ({ filters, refundedAgain }: TransactionSearch): string[] => [
  ...filterChips(FILTER_ROWS, filters, "UTC").map(({ label }) => label),
  ...(refundedAgain ? ["Refunded more than once"] : []),
];

type SearchPlace = { text: string; search: TransactionSearch };

/** Address of the first page. */
const addressOf = (text: string, { sort, order, reach }: Pick<TransactionSearch, "sort" | "order" | "reach">) =>
  withFilters("/support", {
    q: text,
    sort: sort === "created_at" && order === "desc" ? null : `${order === "desc" ? "-" : ""}${sort}`,
    reach: reach === "all" ? "all" : null,
  });

const SORTS = [
  ["Newest", "created_at", "desc"],
  ["Oldest", "created_at", "asc"],
  ["Largest", "amount", "desc"],
  ["Smallest", "amount", "asc"],
] as const;

function SortLinks({ text, search }: SearchPlace) {
  const links = SORTS.map(([name, sort, order]) => ({
    href: addressOf(text, { sort, order, reach: search.reach }),
    text: name,
    current: search.sort === sort && search.order === order,
  }));
  return <LinkGroup label="Sort transactions" links={links} />;
}

function Pages({ text, search, hits }: SearchPlace & { hits: readonly SearchHit[] }) {
  const { page, hasMore } = search;
  if (page === 1 && !hasMore) return null;
  const isLast = page >= MAX_PAGES;
  const offset = (page - 1) * SEARCH_LIMIT;
  const shown = { limit: SEARCH_LIMIT, offset, has_more: hasMore && !isLast, data: [...hits] };
  return (
    <div className="border-t px-4 pb-3">
      {hasMore && isLast && (
        <p className="mt-3 text-[13px] text-soft">
          There are more. Add a word, a date or the last 4 digits to narrow the search.
        </p>
      )}
      <PageLinks href={addressOf(text, search)} what="transactions" page={shown} />
    </div>
  );
}

/** A refund in one of these has left the account. */
const PAID: ReadonlySet<string> = new Set(["CAPTURED", "SETTLED"]);

function Hit({ kind, hit }: { kind: SearchKind; hit: SearchHit }) {
  const { id, href, email, merchant, mode, status, amount, currency, at } = hit;
  const title = titleOf(hit);
  const isRefund = kind === "transaction" && hit.title === "REFUND";
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
          {status && <PlainStatus status={isRefund && PAID.has(status) ? "SUCCEEDED" : status} />}
        </p>
      </div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 sm:block sm:text-right">
        {amount !== null && currency !== null && (
          <Money amount={isRefund ? -amount : amount} currency={currency} className="block" />
        )}
        {at && <Time at={at} className="text-soft text-xs" />}
      </div>
    </li>
  );
}

/** Description of a hit, if it has more than an id. */
function titleOf({ title, card }: SearchHit): string {
  const words = TITLE_WORDS[title] ?? title;
  return card ? `${words} · ${cardText(card.brand, card.last4)}` : words;
}

const TITLE_WORDS: Readonly<Record<string, string>> = { CHARGE: "Charge", REFUND: "Refund", ...OPERATION_WORDS };

/** An offset past the end of the list. */
function PastEnd({ text, search }: SearchPlace) {
  return (
    <EmptyState
      title={`No page ${search.page}`}
      description="There is no such page."
      actions={
        <Link href={addressOf(text, search)} prefetch={false} className={buttonStyles({ size: "sm" })}>
          Go to the first page
        </Link>
      }
    />
  );
}

function NothingFound() {
  return (
    <EmptyState
      title="Nothing found in any merchant’s data"
      description={
        <>
          Enter ids, e-mail addresses and keys in full; the first letters of a name are enough. Days are in UTC. You can
          search for {WHAT_CAN_BE_FOUND}.
        </>
      }
    />
  );
}

type SearchStartProps = {
  searches: readonly { text: string; at: string }[];
  unknown: { all: number; waiting: number };
};

/** Start page: unknown outcomes, recent searches, and what can be searched. */
export function SearchStart({ searches, unknown }: SearchStartProps) {
  return (
    <div className="flex flex-col gap-4">
      {unknown.all > 0 && <UnknownNotice {...unknown} />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Card
          title="What you can search for"
          description={`Shows up to ${SEARCH_LIMIT} of each kind, newest first. Enter ids, addresses and keys in full.`}
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
        <Card title="Your recent searches" flush>
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
      title={all === 1 ? "One operation has an unknown outcome" : `${all} operations have an unknown outcome`}
      actions={
        <Link href="/support/unknown-outcomes" prefetch={false} className={buttonStyles({ size: "sm" })}>
          Open the queue
        </Link>
      }
    >
      {waiting === 0
        ? "Checked automatically for 24 hours."
        : `${waiting === all ? (all === 1 ? "It" : "All") : waiting} ${waiting === 1 ? "waits" : "wait"} for you: over a day old and no longer checked automatically.`}
    </Banner>
  );
}

/** One-sentence version of the start page's table. */
const WHAT_CAN_BE_FOUND =
  "ids (pay_, txn_, key_, mer_, env_, plan_, cs_, batch_, po_, dp_, evt_, req_, usr_, sub_, inv_, pm_), operation UUIDs, e-mail addresses, idempotency keys, merchant names, and anything the merchants’ own transaction search understands";

const SEARCH_EXAMPLES: readonly { what: string; how: string; finds: string }[] = [
  {
    what: "Id",
    how: "pay_…, txn_…, key_…, mer_…, req_…, usr_… and the others",
    finds: "That object, in any merchant’s account",
  },
  { what: "E-mail address", how: "anna@example.com", finds: "A customer’s transactions, and users" },
  {
    what: "Transactions",
    how: "4242 about $20 yesterday · anna smith · declined visa over €50 last week",
    finds: "The merchants’ own search across all accounts: last 4, amount, date, status, card, words",
  },
  {
    what: "Repeat refunds",
    how: "refunded twice, 4242, about 20 dollars",
    finds: "Charges refunded more than once, combined with any of the above",
  },
  { what: "Request", how: "req_…", finds: "The request and what it started" },
  { what: "Idempotency key", how: "the whole key", finds: "Its first use, and the payment" },
  { what: "Operation", how: "its UUID, the processor’s reference", finds: "The payment it belongs to" },
  { what: "Merchant", how: "any part of the name", finds: "The merchant" },
];
