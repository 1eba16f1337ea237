"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};
const key = () => (/mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl");

/** What this computer's keyboard says on the key of shortcuts. */
export function ModifierKey() {
  return useSyncExternalStore(never, key, () => "Ctrl");
}
