"use client";

import { type ReactNode, useSyncExternalStore } from "react";

const never = () => () => {};

/** What stands in it can be used once the page is alive: nothing that was typed is lost, and no form goes to the address. */
export function LiveFieldset({ children, className }: { children: ReactNode; className?: string }) {
  const alive = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return (
    <fieldset disabled={!alive} className={className}>
      {children}
    </fieldset>
  );
}
