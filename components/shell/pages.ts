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
import type { UserPermission } from "@/lib/contract/permissions";

export type ShellPage = {
  label: string;
  /** Below `/{mode}`. */
  path: string;
  icon: LucideIcon;
  /** Second key after `g`. */
  key: string;
  /** Synonyms for the palette. */
  also: string[];
  group: "main" | "developers" | "account";
  /** Required permission; null if every role sees at least a part. */
  permission: UserPermission | null;
  /** Other sections for which the navigation marks this page. */
  sections?: string[];
};

export const SHELL_PAGES: readonly ShellPage[] = [
  {
    label: "Overview",
    path: "",
    icon: LayoutGrid,
    key: "o",
    also: ["home", "figures", "volume"],
    group: "main",
    permission: "transaction.read",
  },
  {
    label: "Transactions",
    path: "/transactions",
    icon: ArrowLeftRight,
    key: "t",
    also: ["payments", "refunds", "search"],
    group: "main",
    permission: "transaction.search",
    sections: ["/payments"],
  },
  {
    label: "Customers",
    path: "/customers",
    icon: Users,
    key: "u",
    also: ["people", "buyers", "shoppers"],
    group: "main",
    permission: "transaction.search",
  },
  {
    label: "Balance",
    path: "/balance",
    icon: Wallet,
    key: "b",
    also: ["payouts", "settlement batches", "bank account", "movements", "fees"],
    group: "main",
    permission: "balance.read",
    sections: ["/payouts", "/settlement-batches"],
  },
  {
    label: "Checkout",
    path: "/checkout",
    icon: ShoppingCart,
    key: "c",
    also: ["payment links", "client sessions", "embed", "payment form", "appearance"],
    group: "main",
    permission: "payment.read",
  },
  {
    label: "Plans",
    path: "/plans",
    icon: Repeat,
    key: "p",
    also: ["subscriptions", "prices"],
    group: "main",
    permission: "subscription_plan.read",
  },
  {
    label: "API keys",
    path: "/developers/api-keys",
    icon: KeyRound,
    key: "k",
    also: ["secret", "token", "developers"],
    group: "developers",
    permission: "api_key.manage",
  },
  {
    label: "Webhooks",
    path: "/developers/webhooks",
    icon: Webhook,
    key: "w",
    also: ["endpoints", "deliveries", "notifications", "developers"],
    group: "developers",
    permission: "webhook_endpoint.read",
  },
  {
    label: "Events",
    path: "/developers/events",
    icon: Zap,
    key: "e",
    also: ["log", "history", "developers"],
    group: "developers",
    permission: "event.read",
  },
  {
    label: "Requests",
    path: "/developers/requests",
    icon: ScrollText,
    key: "r",
    also: ["request log", "errors", "api calls", "curl", "developers"],
    group: "developers",
    permission: "payment.read",
  },
  {
    label: "Idempotency",
    path: "/developers/idempotency",
    icon: Fingerprint,
    key: "i",
    also: ["inspector", "replay", "developers"],
    group: "developers",
    permission: "payment.read",
  },
  {
    label: "Settings",
    path: "/settings",
    icon: Settings,
    key: "s",
    also: ["profile", "password", "team", "time zone", "theme"],
    group: "account",
    permission: null,
  },
];

/** Pages that the role may open. */
export const openTo = <P extends Pick<ShellPage, "permission">>(
  pages: readonly P[],
  can: (p: UserPermission) => boolean,
) => pages.filter(({ permission }) => permission === null || can(permission));
