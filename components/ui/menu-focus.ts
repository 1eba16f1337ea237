import type { KeyboardEvent } from "react";

/** The items that can be chosen, in order. */
export function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])")];
}

/** Moves the focus as the pressed key says; a letter goes to the next item that begins with it. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = nextItem(items, at, event);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function nextItem(items: HTMLElement[], at: number, event: KeyboardEvent): HTMLElement | undefined {
  switch (event.key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items.at(at <= 0 ? -1 : at - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default: {
      if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return;
      const letter = event.key.toLowerCase();
      const fromHere = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      return fromHere.find((item) => item.textContent?.trim().toLowerCase().startsWith(letter));
    }
  }
}
