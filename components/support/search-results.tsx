import Link from "next/link";
import { Card } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import { cardText } from "@/lib/client/card-text";
import { SEARCH_GROUPS, SEARCH_LIMIT, type SearchAnswer, type SearchHit } from "@/lib/contract/support/search-results";
import { ModeBadge } from "./mode-badge";
import { OPERATION_WORDS } from "./operation-words";
import { PlainStatus } from "./plain-status";
import { WHAT_CAN_BE_FOUND } from "./search-help";

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
