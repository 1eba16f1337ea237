import {
  ArrowLeftRight,
  Fingerprint,
  KeyRound,
  LayoutGrid,
  type LucideIcon,
  Repeat,
  ScrollText,
  Settings,
  ShoppingCart,
  Users,
  Wallet,
  Webhook,
  Zap,
} from "lucide-react";

export type ShellPage = {
  label: string;
  /** Below `/{mode}`. */
  path: string;
  icon: LucideIcon;
  /** Second key after `g`. */
  key: string;
  /** What else people call it, for the palette. */
  also: string[];
  group: "main" | "developers" | "account";
  /** Other sections that belong to it, for the mark in the navigation. */
  sections?: string[];
};

export const SHELL_PAGES: readonly ShellPage[] = [
  { label: "Overview", path: "", icon: LayoutGrid, key: "o", also: ["home", "figures", "volume"], group: "main" },
  {
    label: "Transactions",
    path: "/transactions",
    icon: ArrowLeftRight,
    key: "t",
    also: ["payments", "refunds", "search"],
    group: "main",
    sections: ["/payments"],
  },
  {
    label: "Customers",
    path: "/customers",
    icon: Users,
    key: "u",
    also: ["people", "buyers", "shoppers"],
    group: "main",
  },
  {
    label: "Balance",
    path: "/balance",
    icon: Wallet,
    key: "b",
    also: ["payouts", "settlement batches", "bank account", "movements", "fees"],
    group: "main",
    sections: ["/payouts", "/settlement-batches"],
  },
  {
    label: "Checkout",
    path: "/checkout",
    icon: ShoppingCart,
    key: "c",
    also: ["payment links", "client sessions", "embed", "payment form", "appearance"],
    group: "main",
  },
  { label: "Plans", path: "/plans", icon: Repeat, key: "p", also: ["subscriptions", "prices"], group: "main" },
  {
    label: "API keys",
    path: "/developers/api-keys",
    icon: KeyRound,
    key: "k",
    also: ["secret", "token", "developers"],
    group: "developers",
  },
  {
    label: "Webhooks",
    path: "/developers/webhooks",
    icon: Webhook,
    key: "w",
    also: ["endpoints", "deliveries", "notifications", "developers"],
    group: "developers",
  },
  {
    label: "Events",
    path: "/developers/events",
    icon: Zap,
    key: "e",
    also: ["log", "history", "developers"],
    group: "developers",
  },
  {
    label: "Requests",
    path: "/developers/requests",
    icon: ScrollText,
    key: "r",
    also: ["request log", "errors", "api calls", "curl", "developers"],
    group: "developers",
  },
  {
    label: "Idempotency",
    path: "/developers/idempotency",
    icon: Fingerprint,
    key: "i",
    also: ["inspector", "replay", "developers"],
    group: "developers",
  },
  {
    label: "Settings",
    path: "/settings",
    icon: Settings,
    key: "s",
    also: ["profile", "password", "team", "time zone", "theme"],
    group: "account",
  },
];
