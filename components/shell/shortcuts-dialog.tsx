"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useState, useTransition } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Switch } from "@/components/ui/choices";
import { Dialog } from "@/components/ui/dialog";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { openTo, SHELL_PAGES } from "./pages";
import { Kbd, ModifierKey } from "./search-button";

type Shortcut = { keys: ReactNode[]; label: string };

const EVERYWHERE: Shortcut[] = [
  { keys: [<ModifierKey key="modifier" />, "K"], label: "Search or jump to" },
  { keys: ["/"], label: "Search this page" },
  { keys: ["?"], label: "This list" },
  { keys: ["Esc"], label: "Close what is open" },
];
const TABLE: Shortcut[] = [
  { keys: ["j"], label: "Next row" },
  { keys: ["k"], label: "Previous row" },
  { keys: ["Enter"], label: "Open the row" },
  { keys: ["x"], label: "Select the row" },
  { keys: ["r"], label: "Refund the payment" },
];

type ShortcutsDialogProps = { enabled: boolean; onClose: () => void };

/** All shortcuts, and a switch for the single-letter ones. */
export function ShortcutsDialog({ enabled, onClose }: ShortcutsDialogProps) {
  const { can } = useDashboard();
  const pages = openTo(SHELL_PAGES, can).map(({ key, label }): Shortcut => ({ keys: ["g", key], label }));
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        <div className="flex flex-col gap-5">
          <Keys title="Everywhere" shortcuts={EVERYWHERE} />
          <Keys title="Payments" shortcuts={TABLE} />
        </div>
        <Keys title="Go to" shortcuts={pages} />
      </div>
      <div className="mt-5 border-t pt-4">
        <SingleKeys enabled={enabled} />
      </div>
    </Dialog>
  );
}

function Keys({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  return (
    <section>
      <h3 className="mb-1 text-soft text-xs">{title}</h3>
      <dl>
        {shortcuts.map(({ keys, label }) => (
          <div key={label} className="flex items-center justify-between gap-4 py-1">
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={typeof key === "string" ? key : "modifier"}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function SingleKeys({ enabled }: { enabled: boolean }) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  const [failure, setFailure] = useState<string | null>(null);
  const save = (shortcuts: boolean) => {
    setFailure(null);
    startTransition(async () => {
      try {
        await callApi("PATCH /api/dashboard/preferences", { body: { shortcuts } });
        router.refresh();
      } catch (error) {
        setFailure(error instanceof Error ? error.message : "It was not saved.");
      }
    });
  };
  return (
    <>
      <Switch
        label="Single-key shortcuts"
        description="Turn off to avoid accidental presses or speech input. Ctrl or Cmd shortcuts always work."
        checked={enabled}
        disabled={pending}
        onChange={(event) => save(event.target.checked)}
      />
      <FormFailure failure={{ text: failure }} className="mt-3" />
    </>
  );
}
