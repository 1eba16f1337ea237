"use client";

import { createContext, type KeyboardEvent, type ReactNode, use, useId, useMemo, useState } from "react";
import { cn } from "./styles";

type TabsState = { value: string; setValue: (value: string) => void; id: string };

const TabsContext = createContext<TabsState | null>(null);

function useTabs(): TabsState {
  const state = use(TabsContext);
  if (!state) throw new Error("The parts of tabs must be inside <Tabs>");
  return state;
}

type TabsProps = {
  /** Controlled. */
  value?: string;
  defaultValue?: string;
  onValueChange?: (value: string) => void;
  children: ReactNode;
};

export function Tabs({ value, defaultValue = "", onValueChange, children }: TabsProps) {
  const [own, setOwn] = useState(defaultValue);
  const id = useId();
  const current = value ?? own;
  const state = useMemo(
    () => ({
      value: current,
      id,
      setValue: (next: string) => {
        setOwn(next);
        onValueChange?.(next);
      },
    }),
    [current, id, onValueChange],
  );
  return (
    <TabsContext value={state}>
      <div>{children}</div>
    </TabsContext>
  );
}

export function TabsList({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div role="tablist" tabIndex={-1} aria-label={label} className={cn("tab-bar", className)} onKeyDown={moveTabFocus}>
      {children}
    </div>
  );
}

export function TabsTrigger({ value, children }: { value: string; children: ReactNode }) {
  const tabs = useTabs();
  const selected = tabs.value === value;
  return (
    <button
      type="button"
      role="tab"
      id={`${tabs.id}-${value}-tab`}
      aria-selected={selected}
      aria-controls={selected ? `${tabs.id}-${value}` : undefined}
      tabIndex={selected ? 0 : -1}
      onClick={() => tabs.setValue(value)}
      className="tab"
    >
      {children}
    </button>
  );
}

type TabsContentProps = { value: string; className?: string; children: ReactNode };

export function TabsContent({ value, className, children }: TabsContentProps) {
  const tabs = useTabs();
  if (tabs.value !== value) return null;
  return (
    <div
      role="tabpanel"
      id={`${tabs.id}-${value}`}
      aria-labelledby={`${tabs.id}-${value}-tab`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel takes the focus after its tab
      tabIndex={0}
      className={className}
    >
      {children}
    </div>
  );
}

/** Arrow keys move and select; Tab leaves the list. */
export function moveTabFocus(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]:not(:disabled)")];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const next = tabs.at(to % tabs.length);
  next?.focus();
  next?.click();
}
