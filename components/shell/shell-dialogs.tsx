"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from "react";
import { missingPart } from "@/components/ui/missing-part";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { UserPermission } from "@/lib/contract/permissions";
import { isForPage } from "./single-keys";

const Palette = dynamic(() => import("./palette").then(({ Palette }) => Palette, missingPart), { ssr: false });
const ShortcutsDialog = dynamic(
  () => import("./shortcuts-dialog").then(({ ShortcutsDialog }) => ShortcutsDialog, missingPart),
  {
    ssr: false,
  },
);

type ShellDialog = "palette" | "shortcuts";

const ShellDialogsContext = createContext<(dialog: ShellDialog) => void>(() => {});

/** Opens a dialog of the shell. */
export function useShellDialog(): (dialog: ShellDialog) => void {
  return use(ShellDialogsContext);
}

/** The palette, the list of shortcuts, and the keys that open them. Both dialogs load on first use. */
export function ShellDialogs({ shortcuts, children }: { shortcuts: boolean; children: ReactNode }) {
  const [dialog, setDialog] = useState<ShellDialog | null>(null);
  const onOpenChange = useMemo(() => (open: boolean) => setDialog((now) => (open ? now : null)), []);
  useShellKeys(shortcuts, setDialog);
  return (
    <ShellDialogsContext value={setDialog}>
      {children}
      {dialog === "palette" && <Palette onOpenChange={onOpenChange} />}
      {dialog === "shortcuts" && <ShortcutsDialog enabled={shortcuts} onClose={() => onOpenChange(false)} />}
    </ShellDialogsContext>
  );
}

const CHORD_MS = 1_500;

/**
 * Keys that work on every page: Ctrl/Cmd-K always; single keys only while nothing is being typed, no dialog
 * is open and the user has not switched them off.
 */
function useShellKeys(enabled: boolean, openDialog: (dialog: ShellDialog) => void): void {
  const router = useRouter();
  const { mode, can } = useDashboard();
  const chordUntil = useRef(0);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.isComposing || event.defaultPrevented) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (!document.querySelector("dialog:modal")) openDialog("palette");
        return;
      }
      if (enabled && isForPage(event) && takes(event)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    }

    function takes(event: KeyboardEvent): boolean {
      const isSecond = Date.now() < chordUntil.current;
      chordUntil.current = 0;
      if (isSecond) {
        const [path, permission] = SHELL_KEYS[event.key] ?? [];
        if (path === undefined || (permission && !can(permission))) return false;
        router.push(`/${mode}${path}`);
        return true;
      }
      if (event.key === "g" && !event.repeat) {
        chordUntil.current = Date.now() + CHORD_MS;
        return true;
      }
      if (event.key === "?") {
        openDialog("shortcuts");
        return true;
      }
      return event.key === "/" && focusSearch();
    }

    // Captured before the page's own keys: the "k" of "g k" isn't the table's "k".
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => window.removeEventListener("keydown", onKeyDown, { capture: true });
  }, [enabled, mode, can, openDialog, router]);
}

function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>("[data-search]");
  const input = [...fields].find((field) => field.checkVisibility());
  input?.focus();
  input?.select();
  return input !== undefined;
}

/** Second key after `g` → path below `/{mode}` and permission: SHELL_PAGES without their icons. */
export const SHELL_KEYS: Readonly<Record<string, readonly [path: string, permission: UserPermission | null]>> = {
  o: ["", "transaction.read"],
  t: ["/transactions", "transaction.search"],
  u: ["/customers", "transaction.search"],
  b: ["/payouts", "balance.read"],
  m: ["/reports", "report.read"],
  c: ["/checkout", "payment.read"],
  l: ["/checkout/links", "payment.read"],
  n: ["/subscriptions", "subscription.read"],
  v: ["/invoices", "invoice.read"],
  d: ["/disputes", "dispute.read"],
  a: ["/approvals", "approval.request"],
  p: ["/plans", "subscription_plan.read"],
  k: ["/developers/api-keys", "api_key.manage"],
  w: ["/developers/webhooks", "webhook_endpoint.read"],
  e: ["/developers/events", "event.read"],
  r: ["/developers/requests", "payment.read"],
  s: ["/settings", null],
};
