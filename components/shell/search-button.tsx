"use client";

import { Search } from "lucide-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { Button } from "@/components/ui/button";
import { useShellDialog } from "./shell-dialogs";

/** Opens the palette. */
export function SearchButton({ compact = false }: { compact?: boolean }) {
  const open = useShellDialog();
  if (compact) {
    return (
      <Button
        variant="ghost"
        className="button-icon size-10"
        aria-label="Search or jump to"
        aria-haspopup="dialog"
        onClick={() => open("palette")}
      >
        <Search aria-hidden="true" />
      </Button>
    );
  }
  return (
    <button
      type="button"
      className="button button-secondary justify-start font-normal text-soft"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => open("palette")}
    >
      <Search aria-hidden="true" />
      <span className="mr-auto">Search or jump to</span>
      <span aria-hidden="true" className="flex gap-0.5 max-lg:hidden">
        <Kbd>
          <ModifierKey />
        </Kbd>
        <Kbd>K</Kbd>
      </span>
    </button>
  );
}

const never = () => () => {};
const key = () => (/mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl");

/** The platform's modifier key, as labeled on its keyboard. */
export function ModifierKey() {
  return useSyncExternalStore(never, key, () => "Ctrl");
}

/** A keyboard key. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="kbd">{children}</kbd>;
}
