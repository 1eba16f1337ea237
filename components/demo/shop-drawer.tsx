"use client";

import { CreditCard, ScrollText } from "lucide-react";
import { type RefObject, useRef, useState, useSyncExternalStore } from "react";
import { Sheet } from "@/components/ui/sheet";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { CardList } from "./card-list";
import { liveLog } from "./live-log";
import { LiveLog } from "./log-list";
import { useIsWide } from "./use-wide";

const TABS = [
  { value: "cards", label: "Test cards", short: "Cards", icon: CreditCard },
  { value: "live", label: "Live log", short: "Log", icon: ScrollText },
] as const;
type TabName = (typeof TABS)[number]["value"];

/**
 * The buttons in the header and the drawer that they open. On a wide screen the page beside it stays in use, so that a card's
 * number can be copied into the form; on a phone it is a sheet over the page.
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
