"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Command, defaultFilter } from "cmdk";
import {
  ArrowRight,
  BookOpen,
  Keyboard,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Settings,
  Sun,
  ToggleLeft,
  User,
} from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTheme } from "next-themes";
import { useEffect, useEffectEvent, useState } from "react";
import { SETTINGS_PAGES } from "@/components/accounts/settings-nav";
import { Modal } from "@/components/ui/modal";
import { toast } from "@/components/ui/toast";
import { signOut } from "@/lib/client/accounts/sign-out";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { jumpTargets } from "@/lib/client/shell/jump-targets";
import { otherModePath } from "@/lib/client/shell/other-mode-path";
import { problemOfText } from "@/lib/contract/lists/filters";
import { holdsSecret } from "@/lib/contract/secrets";
import { FILTERS } from "@/lib/contract/transactions/filters";
import { INNER_PAGES } from "./inner-pages";
import { openTo, SHELL_PAGES } from "./pages";
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

/**
 * The typed text never filters search targets. A page's synonyms match only as substrings, because fuzzy
 * matching across many of them matches nearly everything.
 */
function score(value: string, search: string, keywords: string[] = []): number {
  if (value.startsWith(TARGET)) return 1;
  const typed = search.trim().toLowerCase();
  return defaultFilter(
    value,
    search,
    keywords.filter((name) => name.toLowerCase().includes(typed)),
  );
}

/** Search box for pages, pasted ids, e-mail addresses, amounts and keys, plus a few switches. */
export function Palette({ onOpenChange }: { onOpenChange: (open: boolean) => void }) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState("");
  return (
    <Modal
      aria-label="Search or jump to"
      className="modal modal-center palette max-w-xl"
      onDismiss={() => onOpenChange(false)}
    >
      <Command label="Search or jump to" loop filter={score} value={chosen} onValueChange={setChosen}>
        <Command.Input
          value={typed}
          onValueChange={setTyped}
          placeholder="A page, a customer, an id, an e-mail, an amount…"
          data-autofocus=""
        />
        <Command.List label="Suggestions">
          <Command.Empty>Nothing found. Paste a complete id, or type an e-mail address or an amount.</Command.Empty>
          <JumpItems typed={typed} sure onDone={() => onOpenChange(false)} />
          <CustomerItems
            typed={typed}
            onFound={(value) => setChosen((now) => (now === "" || now.startsWith(TARGET) ? value : now))}
            onDone={() => onOpenChange(false)}
          />
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

/** Likely targets come before the pages, possible ones last. */
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

const DEBOUNCE_MS = 200;
const MAX_CUSTOMERS = 5;

/** Customers by name, e-mail or id, requested once typing pauses. */
function CustomerItems({ typed, onFound, onDone }: ItemsProps & { typed: string; onFound: (value: string) => void }) {
  const { mode, can } = useDashboard();
  const go = useGo(onDone);
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isName =
    q.length >= 2 && problemOfText(FILTERS.q, q) === null && !holdsSecret(q) && jumpTargets(q, mode).length > 0;
  const { data } = useQuery({
    queryKey: ["palette customers", mode, q],
    enabled: isName && can("transaction.read"),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => callApi("GET /v1/customers", { mode, query: { q, limit: String(MAX_CUSTOMERS) }, signal }),
  });
  const found = isName && typed.trim() !== "" ? (data?.data.data ?? []) : [];
  const first = found[0]?.id;
  // Results arrive after the local items and are listed above them.
  const choose = useEffectEvent((id: string) => onFound(`${TARGET}${id}`));
  useEffect(() => {
    if (first !== undefined) choose(first);
  }, [first]);
  if (found.length === 0) return null;
  return (
    <Command.Group heading="Customers">
      {found.map(({ id, name, email, customer_id }) => (
        <Item
          key={id}
          value={`${TARGET}${id}`}
          icon={User}
          hint={name ? email : null}
          onSelect={() => go(`/${mode}/customers/${id}`)}
        >
          {name ?? email ?? customer_id}
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
        {openTo(SHELL_PAGES, can).map(({ label, path, icon, key, also }) => (
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
      <Command.Group heading="More pages">
        {openTo(INNER_PAGES, can).map(({ label, path, also }) => (
          <Item key={path} value={label} also={[...also]} icon={ArrowRight} onSelect={() => go(`/${mode}${path}`)}>
            {label}
          </Item>
        ))}
      </Command.Group>
      <Command.Group heading="Settings">
        {openTo(SETTINGS_PAGES, can).map(({ label, path, also }) => (
          <Item
            key={path}
            value={`${label} settings`}
            also={["settings", ...also]}
            icon={Settings}
            onSelect={() => go(`/${mode}/settings/${path}`)}
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
