import {
  ArrowLeftRight,
  CalendarSync,
  FileSpreadsheet,
  Gavel,
  KeyRound,
  LayoutGrid,
  Link2,
  type LucideIcon,
  ReceiptText,
  Repeat,
  ScrollText,
  Settings,
  ShoppingCart,
  UserCheck,
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
  group: "main" | "selling" | "developers" | "account";
  /** Required permission; null if every role sees at least a part. */
  permission: UserPermission | null;
  /** Other sections for which the navigation marks this page. */
  sections?: string[];
  /** Paths below its own that belong to another page of the navigation. */
  apart?: string[];
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
    label: "Payments",
    path: "/transactions",
    icon: ArrowLeftRight,
    key: "t",
    also: ["transactions", "refunds", "search"],
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
    label: "Subscriptions",
    path: "/subscriptions",
    icon: CalendarSync,
    key: "n",
    also: ["subscribers", "recurring", "renewals", "trials", "members"],
    group: "main",
    permission: "subscription.read",
  },
  {
    label: "Invoices",
    path: "/invoices",
    icon: ReceiptText,
    key: "v",
    also: ["bills", "dunning", "failed renewals"],
    group: "main",
    permission: "invoice.read",
  },
  {
    label: "Disputes",
    path: "/disputes",
    icon: Gavel,
    key: "d",
    also: ["chargebacks", "evidence", "deadlines"],
    group: "main",
    permission: "dispute.read",
  },
  {
    label: "Approvals",
    path: "/approvals",
    icon: UserCheck,
    key: "a",
    also: ["requests", "second person", "approve", "four eyes"],
    group: "main",
    permission: "approval.request",
  },
  {
    label: "Payouts",
    path: "/payouts",
    icon: Wallet,
    key: "b",
    also: ["settlement", "bank account", "transfers", "money"],
    group: "main",
    permission: "balance.read",
    sections: ["/balance", "/settlement-batches"],
  },
  {
    label: "Reports",
    path: "/reports",
    icon: FileSpreadsheet,
    key: "m",
    also: ["month-end", "bookkeeping", "accounting", "statement", "export", "fees"],
    group: "main",
    permission: "report.read",
  },
  {
    label: "Payment links",
    path: "/checkout/links",
    icon: Link2,
    key: "l",
    also: ["checkout", "sell", "QR code"],
    group: "selling",
    permission: "payment.read",
    sections: ["/checkout/appearance"],
  },
  {
    label: "Plans",
    path: "/plans",
    icon: Repeat,
    key: "p",
    also: ["prices", "products"],
    group: "selling",
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
    sections: ["/developers/idempotency"],
  },
  {
    label: "Sessions",
    path: "/checkout",
    icon: ShoppingCart,
    key: "c",
    also: ["checkout", "client sessions", "embed", "payment form"],
    group: "developers",
    permission: "payment.read",
    apart: ["/checkout/links", "/checkout/appearance"],
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
