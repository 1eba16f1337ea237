"use client";

import { Check, Copy, CreditCard, ScrollText } from "lucide-react";
import { type RefObject, useRef, useState, useSyncExternalStore } from "react";
import { useCopied } from "@/components/ui/hooks";
import { Sheet } from "@/components/ui/modal";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { groupedNumber } from "@/lib/contract/format";
import { SANDBOX_CARDS, type SandboxCard } from "@/lib/contract/sandbox-cards";
import { BRAND_NAMES } from "@/lib/contract/transactions/words";
import { LiveLog, liveLog } from "./live-log";
import { useIsWide } from "./use-wide";

const TABS = [
  { value: "cards", label: "Test cards", short: "Cards", icon: CreditCard },
  { value: "live", label: "Live log", short: "Log", icon: ScrollText },
] as const;
type TabName = (typeof TABS)[number]["value"];

/**
 * Header buttons and the drawer that they open. On a wide screen the page beside it stays usable, so that a
 * card number can be copied into the form; on a phone it is a sheet over the page.
 */
export function ShopDrawer() {
  const [tab, setTab] = useState<TabName | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isWide = useIsWide();

  function close() {
    setTab(null);
    opener.current?.focus();
  }

  return (
    <div className="-mr-2 flex gap-1">
      {TABS.map(({ value, label, short, icon: Icon }) => (
        <button
          key={value}
          ref={value === "cards" ? opener : undefined}
          type="button"
          aria-label={label}
          aria-expanded={tab === value}
          aria-haspopup="dialog"
          className="button button-ghost h-9"
          onClick={(event) => {
            (opener as RefObject<HTMLButtonElement>).current = event.currentTarget;
            setTab(tab === value ? null : value);
          }}
        >
          <Icon aria-hidden="true" />
          <span className="max-sm:hidden">{label}</span>
          <span className="sm:hidden">{short}</span>
          {value === "live" && <LogCount />}
        </button>
      ))}
      <Sheet
        open={tab !== null}
        onOpenChange={close}
        modal={!isWide}
        side={isWide ? "right" : "bottom"}
        title="Behind the counter"
        flush
        className={isWide ? "shop-drawer modal-right" : "shop-drawer"}
      >
        <Tabs value={tab ?? "cards"} onValueChange={(value) => setTab(value as TabName)}>
          <TabsList label="Behind the counter" className="sticky top-0 z-10 bg-ground px-5">
            {TABS.map(({ value, label }) => (
              <TabsTrigger key={value} value={value}>
                {label}
              </TabsTrigger>
            ))}
          </TabsList>
          <TabsContent value="cards" className="px-5 py-4">
            <CardList />
          </TabsContent>
          <TabsContent value="live" className="px-5 py-4">
            <LiveLog />
          </TabsContent>
        </Tabs>
      </Sheet>
    </div>
  );
}

function LogCount() {
  const { length } = useSyncExternalStore(liveLog.subscribe, liveLog.entries, liveLog.none);
  return length > 0 && <span className="tabular-nums text-accent">{length}</span>;
}

const GROUPS: readonly { group: SandboxCard["group"]; title: string }[] = [
  { group: "approved", title: "Approved" },
  { group: "declined", title: "Declined" },
  { group: "verification", title: "Verification" },
  { group: "recurring", title: "Charged again by the shop" },
  { group: "dispute", title: "Disputed by the cardholder’s bank" },
  { group: "fault", title: "A processor on a bad day" },
];

/** Every test card of the sandbox, with a copy button. */
function CardList() {
  return (
    <div className="space-y-6">
      <p className="text-soft">
        Use any future expiry and any security code: four digits for American Express, three for all others. Any other
        card is declined.
      </p>
      {GROUPS.map(({ group, title }) => (
        <section key={group} aria-labelledby={`cards-${group}`}>
          <h3 id={`cards-${group}`} className="shop-label">
            {title}
          </h3>
          <ul className="mt-1.5 divide-y border-y">
            {SANDBOX_CARDS.filter((card) => card.group === group).map((card) => (
              <CardRow key={card.number} card={card} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function CardRow({ card }: { card: SandboxCard }) {
  const number = groupedNumber(card.number);
  return (
    <li className="flex items-start gap-2 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <span className="whitespace-nowrap font-mono text-[13px]">{number}</span>
          <span className="text-soft text-xs">{BRAND_NAMES[card.brand]}</span>
        </p>
        <p className="text-soft text-xs leading-relaxed">{card.effect}</p>
      </div>
      <CopyNumber number={card.number} label={`Copy ${number}`} />
    </li>
  );
}

function CopyNumber({ number, label }: { number: string; label: string }) {
  const [state, copy] = useCopied();

  return (
    <span className="flex items-center gap-1">
      <span className={state === "failed" ? "text-red text-xs" : "sr-only"} aria-live="polite">
        {state === "copied" ? "Copied" : state === "failed" ? "Select and copy" : ""}
      </span>
      <button
        type="button"
        onClick={() => void copy(number)}
        aria-label={label}
        className="button button-ghost button-icon max-lg:size-10"
      >
        {state === "copied" ? <Check aria-hidden="true" className="text-green" /> : <Copy aria-hidden="true" />}
      </button>
    </span>
  );
}
