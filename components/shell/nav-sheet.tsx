"use client";

import { Menu as MenuIcon } from "lucide-react";
import { usePathname } from "next/navigation";
import { type ReactNode, useCallback, useState } from "react";
import { Button } from "@/components/ui/button";
import { Sheet } from "@/components/ui/sheet";
import { LeaveSheet } from "./leave-sheet";

/** The sidebar of narrow windows: behind a button, over the page. */
export function NavSheet({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  // Open on this page: once a link has led to another, it is closed.
  const [openOn, setOpenOn] = useState<string | null>(null);
  const open = openOn === pathname;
  const leave = useCallback(() => setOpenOn(null), []);
  return (
    <>
      <Button
        variant="ghost"
        className="button-icon size-10"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpenOn(pathname)}
      >
        <MenuIcon aria-hidden="true" />
      </Button>
      <Sheet
        open={open}
        onOpenChange={(next) => setOpenOn(next ? pathname : null)}
        side="left"
        title="Cardlane"
        flush
        className="nav-sheet"
      >
        <LeaveSheet value={leave}>
          <div className="flex h-full flex-col">{children}</div>
        </LeaveSheet>
      </Sheet>
    </>
  );
}
