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
  /** What else people call it, for the palette. */
  also: string[];
  group: "main" | "developers" | "account";
  /** Without it the page refuses; null: everybody has a part of it. */
  permission: UserPermission | null;
  /** Other sections that belong to it, for the mark in the navigation. */
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

type Can = (permission: UserPermission) => boolean;

/** The pages that a role may open. */
export const pagesFor = (can: Can): ShellPage[] =>
  SHELL_PAGES.filter(({ permission }) => permission === null || can(permission));

/** A page that the navigation does not name; the palette does. */
type InnerPage = Pick<ShellPage, "label" | "path" | "also">;

export const INNER_PAGES: readonly InnerPage[] = [
  { label: "Payment links", path: "/checkout/links", also: ["checkout", "sell", "QR code"] },
  { label: "New payment link", path: "/checkout/links/new", also: ["create", "sell by link"] },
  { label: "New client session", path: "/checkout/new", also: ["create", "payment form", "checkout"] },
  { label: "Look of the payment form", path: "/checkout/appearance", also: ["appearance", "design", "color", "theme"] },
  { label: "New plan", path: "/plans/new", also: ["create", "subscription", "price"] },
  { label: "Payouts", path: "/payouts", also: ["bank account", "transfers", "money"] },
  { label: "Settlement batches", path: "/settlement-batches", also: ["fees", "settled"] },
  { label: "New API key", path: "/developers/api-keys/new", also: ["create", "secret", "token"] },
];

/** Those of pages that a role may open. */
export const innerPagesFor = (can: Can): readonly InnerPage[] => {
  const closed = SHELL_PAGES.filter(({ permission }) => permission !== null && !can(permission));
  return INNER_PAGES.filter((inner) => !closed.some(({ path }) => inner.path.startsWith(`${path}/`)));
};
