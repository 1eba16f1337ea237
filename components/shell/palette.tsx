"use client";

import { Command, defaultFilter } from "cmdk";
import { ArrowRight, BookOpen, Keyboard, LogOut, type LucideIcon, Monitor, Moon, Sun, ToggleLeft } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTheme } from "next-themes";
import { useState } from "react";
import { Modal } from "@/components/ui/modal";
import { toast } from "@/components/ui/toast";
import { signOut } from "@/lib/client/accounts/sign-out";
import { useDashboard } from "@/lib/client/dashboard-context";
import { jumpTargets } from "@/lib/client/shell/jump-targets";
import { otherModePath } from "@/lib/client/shell/other-mode-path";
import { pagesFor } from "./pages";
import { Kbd } from "./search-button";
import { useShellDialog } from "./shell-dialogs";
import { THEMES } from "./theme";

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };

const DOCS = [
  { label: "Guide", href: "/docs", also: ["documentation", "quickstart", "help"] },
  { label: "API reference", href: "/docs/reference", also: ["documentation", "openapi"] },
  { label: "Error codes", href: "/docs/errors", also: ["documentation"] },
  { label: "Test cards", href: "/docs/testing", also: ["documentation", "sandbox"] },
];

const TARGET = "target:";

/** What the typed text may lead to is never filtered by that text. */
function score(value: string, search: string, keywords?: string[]): number {
  return value.startsWith(TARGET) ? 1 : defaultFilter(value, search, keywords);
}

/** One box to go anywhere: a page, a pasted id, an e-mail address, an amount, a key; and a few switches. */
export function Palette({ onOpenChange }: { onOpenChange: (open: boolean) => void }) {
  const [typed, setTyped] = useState("");
  return (
    <Modal
      aria-label="Search or jump to"
      className="modal modal-center palette max-w-xl"
      onDismiss={() => onOpenChange(false)}
    >
      <Command label="Search or jump to" loop filter={score}>
        <Command.Input
          value={typed}
          onValueChange={setTyped}
          placeholder="A page, an id, an e-mail, last 4, an amount…"
          data-autofocus=""
        />
        <Command.List label="Suggestions">
          <Command.Empty>Nothing found. Paste a complete id, or type an e-mail address or an amount.</Command.Empty>
          <JumpItems typed={typed} sure onDone={() => onOpenChange(false)} />
          <PageItems onDone={() => onOpenChange(false)} />
          <ActionItems onDone={() => onOpenChange(false)} />
          <JumpItems typed={typed} sure={false} onDone={() => onOpenChange(false)} />
        </Command.List>
      </Command>
    </Modal>
  );
}

type ItemsProps = { onDone: () => void };

function useGo(onDone: () => void) {
  const router = useRouter();
  return (href: string) => {
    onDone();
    router.push(href);
  };
}

/** Likely meanings of the text come before the pages, possible ones after everything else. */
function JumpItems({ typed, sure, onDone }: ItemsProps & { typed: string; sure: boolean }) {
  const { mode, can } = useDashboard();
  const go = useGo(onDone);
  const targets = jumpTargets(typed, mode).filter((target) => target.sure === sure && can(target.permission));
  if (targets.length === 0) return null;
  return (
    <Command.Group heading={sure ? "Jump to" : "Search"}>
      {targets.map(({ label, detail, href }) => (
        <Item key={href} value={`${TARGET}${href}`} icon={ArrowRight} hint={detail} onSelect={() => go(href)}>
          {label}
        </Item>
      ))}
    </Command.Group>
  );
}

function PageItems({ onDone }: ItemsProps) {
  const { mode, preferences, can } = useDashboard();
  const go = useGo(onDone);
  return (
    <>
      <Command.Group heading="Pages">
        {pagesFor(can).map(({ label, path, icon, key, also }) => (
          <Item
            key={label}
            value={label}
            also={also}
            icon={icon}
            hint={
              preferences.shortcuts !== false && (
                <>
                  <Kbd>g</Kbd> <Kbd>{key}</Kbd>
                </>
              )
            }
            onSelect={() => go(`/${mode}${path}`)}
          >
            {label}
          </Item>
        ))}
      </Command.Group>
      <Command.Group heading="Documentation">
        {DOCS.map(({ label, href, also }) => (
          <Item key={href} value={label} also={also} icon={BookOpen} onSelect={() => go(href)}>
            {label}
          </Item>
        ))}
      </Command.Group>
    </>
  );
}

function ActionItems({ onDone }: ItemsProps) {
  const { mode } = useDashboard();
  const pathname = usePathname();
  const search = useSearchParams();
  const openDialog = useShellDialog();
  const { setTheme } = useTheme();
  const go = useGo(onDone);
  const other = mode === "test" ? "live" : "test";
  return (
    <Command.Group heading="Actions">
      <Item
        value={`Switch to ${other} mode`}
        also={["environment", "sandbox"]}
        icon={ToggleLeft}
        onSelect={() => go(otherModePath(pathname, search, other))}
      >
        Switch to {other} mode
      </Item>
      {THEMES.map(({ value, label }) => (
        <Item
          key={value}
          value={`Theme ${label}`}
          also={["appearance", "colour", "color"]}
          icon={THEME_ICONS[value]}
          onSelect={() => {
            setTheme(value);
            onDone();
          }}
        >
          Theme: {label}
        </Item>
      ))}
      <Item value="Keyboard shortcuts" also={["keys", "help"]} icon={Keyboard} onSelect={() => openDialog("shortcuts")}>
        Keyboard shortcuts
      </Item>
      <Item
        value="Sign out"
        also={["log out"]}
        icon={LogOut}
        onSelect={() => {
          onDone();
          signOut().catch(() => toast.error("You are still signed in: the service could not be reached."));
        }}
      >
        Sign out
      </Item>
    </Command.Group>
  );
}

type ItemProps = {
  value: string;
  also?: string[];
  icon: LucideIcon;
  hint?: React.ReactNode;
  onSelect: () => void;
  children: React.ReactNode;
};

function Item({ value, also, icon: Icon, hint, onSelect, children }: ItemProps) {
  return (
    <Command.Item value={value} keywords={also} onSelect={onSelect}>
      <Icon aria-hidden="true" className="size-4 shrink-0 text-soft" />
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {hint && <span className="shrink-0 text-soft text-xs">{hint}</span>}
    </Command.Item>
  );
}
