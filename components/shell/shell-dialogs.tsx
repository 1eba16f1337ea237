"use client";

import dynamic from "next/dynamic";
import { createContext, type ReactNode, use, useMemo, useState } from "react";
import { useShellKeys } from "./use-shell-keys";

const Palette = dynamic(() => import("./palette").then(({ Palette }) => Palette), { ssr: false });
const ShortcutsDialog = dynamic(() => import("./shortcuts-dialog").then(({ ShortcutsDialog }) => ShortcutsDialog), {
  ssr: false,
});

export type ShellDialog = "palette" | "shortcuts";

const ShellDialogsContext = createContext<(dialog: ShellDialog) => void>(() => {});

/** Opens a dialog of the shell. */
export function useShellDialog(): (dialog: ShellDialog) => void {
  return use(ShellDialogsContext);
}

/** The palette, the list of shortcuts, and the keys; both dialogs are loaded when first asked for. */
export function ShellDialogs({ shortcuts, children }: { shortcuts: boolean; children: ReactNode }) {
  const [dialog, setDialog] = useState<ShellDialog | null>(null);
  const onOpenChange = useMemo(() => (open: boolean) => setDialog((now) => (open ? now : null)), []);
  useShellKeys(shortcuts, setDialog);
  return (
    <ShellDialogsContext value={setDialog}>
      {children}
      {dialog === "palette" && <Palette onOpenChange={onOpenChange} />}
      {dialog === "shortcuts" && <ShortcutsDialog enabled={shortcuts} onOpenChange={onOpenChange} />}
    </ShellDialogsContext>
  );
}
