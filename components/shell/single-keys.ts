import { useEffect, useEffectEvent } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";

const TYPED_INTO = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]";
const IN_THE_WAY = "dialog:modal, :popover-open:not([role=tooltip])";

/** False while the user types or a dialog covers the page. */
export function isForPage(event: KeyboardEvent): boolean {
  const { isComposing, defaultPrevented, ctrlKey, metaKey, altKey, target } = event;
  if (isComposing || defaultPrevented || ctrlKey || metaKey || altKey) return false;
  if (target instanceof Element && target.closest(TYPED_INTO)) return false;
  return document.querySelector(IN_THE_WAY) === null;
}

/**
 * A page's single keys; `onKey` returns true if it handled one. If the user switched them off, only Escape
 * works.
 */
export function useSingleKeys(onKey: (key: string) => boolean): void {
  const { preferences } = useDashboard();
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const isOn = preferences.shortcuts !== false || event.key === "Escape";
    if (isOn && isForPage(event) && onKey(event.key)) event.preventDefault();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => listen(event);
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
