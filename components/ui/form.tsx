"use client";

import { useRouter } from "next/navigation";
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import { currencyDigits, isSupportedCurrency } from "@/lib/contract/currencies";
import { Button } from "./button";
import { Dialog, DialogContent } from "./dialog";
import { Input } from "./field";
import { useHydrated } from "./hooks";

type Navigation = EventTarget & { currentEntry: { index: number } | null };
type NavigateEvent = Event & { navigationType: string; destination: { index: number } };

type UnsavedGuardProps = {
  dirty: boolean;
  /** The question, and what is lost, where it is not something that was typed. */
  title?: string;
  description?: string;
};

/** While `dirty`, asks before a link, the back button, a reload or closing the tab takes what was typed away. */
export function UnsavedGuard({
  dirty,
  title = "Leave without saving?",
  description = "What you changed on this page is not saved.",
}: UnsavedGuardProps) {
  const router = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const leaving = useRef(false);

  useEffect(() => {
    if (!dirty) return;
    leaving.current = false;
    const stopLinks = stopLinksUntil(leaving, (href) => setLeave(() => () => router.push(href)));
    const stopHistory = stopHistoryUntil(leaving, (delta) => setLeave(() => () => window.history.go(delta)));
    const beforeUnload = (event: BeforeUnloadEvent) => {
      if (!leaving.current) event.preventDefault();
    };
    window.addEventListener("beforeunload", beforeUnload);
    return () => {
      stopLinks();
      stopHistory();
      window.removeEventListener("beforeunload", beforeUnload);
    };
  }, [dirty, router]);

  return (
    <Dialog open={leave !== null} onOpenChange={() => setLeave(null)}>
      <DialogContent
        size="sm"
        title={title}
        description={description}
        footer={
          <>
            <Button data-autofocus onClick={() => setLeave(null)}>
              Stay
            </Button>
            <Button
              variant="danger"
              onClick={() => {
                leaving.current = true;
                setLeave(null);
                leave?.();
              }}
            >
              Leave
            </Button>
          </>
        }
      />
    </Dialog>
  );
}

type Flag = { readonly current: boolean };

function stopLinksUntil(leaving: Flag, ask: (href: string) => void): () => void {
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
    if (!link || elsewhere || leaving.current || link.target === "_blank" || link.origin !== location.origin) return;
    if (link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    event.stopPropagation();
    ask(link.pathname + link.search + link.hash);
  };
  document.addEventListener("click", onClick, { capture: true });
  return () => document.removeEventListener("click", onClick, { capture: true });
}

/** Where browsers have the Navigation API a step in the history can be refused, once after each act of the person. */
function stopHistoryUntil(leaving: Flag, ask: (delta: number) => void): () => void {
  const { navigation } = window as { navigation?: Navigation };
  const onNavigate = (event: Event) => {
    const { navigationType, destination } = event as NavigateEvent;
    if (leaving.current || navigationType !== "traverse" || !event.cancelable) return;
    event.preventDefault();
    ask(destination.index - (navigation?.currentEntry?.index ?? 0));
  };
  navigation?.addEventListener("navigate", onNavigate);
  return () => navigation?.removeEventListener("navigate", onNavigate);
}

/** What stands in it can be used once the page is alive: nothing that was typed is lost, and no form goes to the address. */
export function LiveFieldset({ children, className }: { children: ReactNode; className?: string }) {
  const alive = useHydrated();
  return (
    <fieldset disabled={!alive} className={className}>
      {children}
    </fieldset>
  );
}

/** A price in major units, with as many decimals as its currency has, and the currency beside it. */
export function PriceInput({ currency, ...props }: { currency: string } & ComponentProps<"input">) {
  const digits = isSupportedCurrency(currency) ? currencyDigits(currency) : 2;
  return (
    <span className="relative block">
      <Input
        {...props}
        inputMode="decimal"
        autoComplete="off"
        placeholder={(0).toFixed(digits)}
        className="w-full pr-14 font-mono tabular-nums"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center font-mono text-soft text-xs"
      >
        {currency}
      </span>
    </span>
  );
}
