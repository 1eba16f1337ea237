"use client";

import { BookOpen, ChevronsUpDown, Keyboard, LogOut, Settings } from "lucide-react";
import { useTheme } from "next-themes";
import {
  Menu,
  MenuContent,
  MenuItem,
  MenuLabel,
  MenuRadioItem,
  MenuSeparator,
  MenuTrigger,
} from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { signOut } from "@/lib/client/accounts/sign-out";
import type { DashboardData } from "@/lib/client/dashboard-context";
import { useShellDialog } from "./shell-dialogs";
import { THEMES } from "./theme";

type UserMenuProps = { mode: string; merchantName: string; user: DashboardData["user"] };

export function UserMenu({ mode, merchantName, user }: UserMenuProps) {
  const openDialog = useShellDialog();
  const name = user.name ?? user.email;
  return (
    <Menu>
      <MenuTrigger className="user-button">
        <span aria-hidden="true" className="user-initial">
          {Array.from(name)[0]?.toUpperCase()}
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-soft text-xs">{merchantName}</span>
        </span>
        <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-soft" />
        <span className="sr-only">Account menu</span>
      </MenuTrigger>
      <MenuContent label="Account" side="top" className="w-60">
        <MenuLabel>
          <span className="block truncate">{user.email}</span>
        </MenuLabel>
        <MenuItem href={`/${mode}/settings`} icon={<Settings aria-hidden="true" />}>
          Settings
        </MenuItem>
        <MenuItem href="/docs" icon={<BookOpen aria-hidden="true" />}>
          Documentation
        </MenuItem>
        <MenuItem icon={<Keyboard aria-hidden="true" />} shortcut="?" onSelect={() => openDialog("shortcuts")}>
          Keyboard shortcuts
        </MenuItem>
        <MenuSeparator />
        <ThemeItems />
        <MenuSeparator />
        <MenuItem
          icon={<LogOut aria-hidden="true" />}
          onSelect={() => {
            signOut().catch(() => toast.error("You are still signed in: the service could not be reached."));
          }}
        >
          Sign out
        </MenuItem>
      </MenuContent>
    </Menu>
  );
}

function ThemeItems() {
  const { theme, setTheme } = useTheme();
  return (
    <>
      <MenuLabel>Theme</MenuLabel>
      {THEMES.map(({ value, label }) => (
        <MenuRadioItem key={value} checked={theme === value} onCheck={() => setTheme(value)}>
          {label}
        </MenuRadioItem>
      ))}
    </>
  );
}
