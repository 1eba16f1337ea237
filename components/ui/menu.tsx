"use client";

import Link from "next/link";
import type { KeyboardEvent, ReactNode } from "react";
import { FloatingBox, type FloatingBoxProps, Popover, PopoverTrigger, type TriggerProps, usePopover } from "./floating";
import { cn } from "./styles";

/** A menu button: arrow keys, Home, End and first letters move, Enter activates, Escape closes. */
export const Menu = Popover;

export function MenuTrigger(props: TriggerProps) {
  const { setOpen, setFromEnd } = usePopover();
  return (
    <PopoverTrigger
      {...props}
      popup="menu"
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        setFromEnd(event.key === "ArrowUp");
        setOpen(true);
      }}
    />
  );
}

const firstItem = (box: HTMLElement) => itemsOf(box)[0];
const lastItem = (box: HTMLElement) => itemsOf(box).at(-1);

export function MenuContent({ label = "Actions", className, ...rest }: FloatingBoxProps & { label?: string }) {
  const { open, setOpen, fromEnd } = usePopover();
  if (!open) return null;
  return (
    <FloatingBox
      role="menu"
      {...rest}
      label={label}
      className={cn("min-w-44 p-1", className)}
      findFocus={fromEnd ? lastItem : firstItem}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Tab") setOpen(false);
        moveFocus(event);
      }}
    />
  );
}

type MenuItemProps = {
  /** `event.preventDefault()` keeps the menu open. */
  onSelect?: (event: { preventDefault: () => void }) => void;
  /** Renders the item as a link. */
  href?: string;
  disabled?: boolean;
  /** Destructive or disruptive. */
  danger?: boolean;
  icon?: ReactNode;
  /** Right-aligned: a key, a hint. */
  shortcut?: ReactNode;
  /** A second line, such as why it is disabled. */
  description?: ReactNode;
  children: ReactNode;
};

export function MenuItem({ href, danger = false, ...rest }: MenuItemProps) {
  const attributes = useItem(rest);
  const classes = cn("menu-item", danger && "text-red");
  if (href && !rest.disabled) {
    return (
      <Link href={href} role="menuitem" {...attributes} className={classes}>
        <ItemContent {...rest} />
      </Link>
    );
  }
  return (
    <button type="button" role="menuitem" {...attributes} className={classes}>
      <ItemContent {...rest} />
    </button>
  );
}

type MenuRadioItemProps = { checked: boolean; onCheck: () => void; children: ReactNode };

/** An item of a radio group; the menu stays open. */
export function MenuRadioItem({ checked, onCheck, children }: MenuRadioItemProps) {
  const attributes = useItem({
    onSelect: (event) => {
      event.preventDefault();
      onCheck();
    },
  });
  return (
    <button type="button" role="menuitemradio" aria-checked={checked} {...attributes} className="menu-item">
      <ItemContent icon={<CheckMark shown={checked} />}>{children}</ItemContent>
    </button>
  );
}

function CheckMark({ shown }: { shown: boolean }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={cn("text-accent", !shown && "invisible")}>
      <path d="m3 8.5 3.5 3.5L13 4.5" fill="none" stroke="currentColor" strokeWidth="1.75" />
    </svg>
  );
}

function useItem({ onSelect, disabled }: Pick<MenuItemProps, "onSelect" | "disabled">) {
  const { setOpen } = usePopover();
  return {
    tabIndex: -1,
    "aria-disabled": disabled || undefined,
    onClick: (event: { preventDefault: () => void }) => {
      if (disabled) return event.preventDefault();
      let stays = false;
      onSelect?.({
        preventDefault: () => {
          stays = true;
        },
      });
      if (!stays) setOpen(false);
    },
    onPointerMove: (event: { currentTarget: HTMLElement }) => {
      if (!disabled) event.currentTarget.focus({ preventScroll: true });
    },
  };
}

function ItemContent({ icon, shortcut, description, children }: MenuItemProps) {
  return (
    <>
      {icon && (
        <span className="mt-0.5 flex size-4 shrink-0 items-center justify-center text-soft [&>svg]:size-4">{icon}</span>
      )}
      <span className="min-w-0 flex-1">
        {children}
        {description && <span className="block whitespace-normal text-soft text-xs">{description}</span>}
      </span>
      {shortcut && <span className="ml-4 text-soft text-xs">{shortcut}</span>}
    </>
  );
}

export function MenuSeparator() {
  return <hr className="-mx-1 my-1" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <div className="px-2 pt-1.5 pb-1 font-medium text-soft text-xs">{children}</div>;
}

/** The enabled items in order. */
function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])")];
}

/** Moves the focus by the pressed key; a letter goes to the next item that begins with it. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
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
