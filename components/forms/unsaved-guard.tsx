"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";

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
