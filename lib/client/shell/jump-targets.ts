import type { UserPermission } from "@/lib/contract/permissions";
import { holdsSecret } from "@/lib/contract/secrets";
import { MODES, type Mode } from "@/lib/contract/transactions/words";

type JumpTarget = {
  label: string;
  detail: string;
  href: string;
  /** The most likely reading of the text; otherwise it is one of several. */
  sure: boolean;
  /** Required permission of the page. */
  permission: UserPermission;
};

type IdPage = { label: string; permission: UserPermission; path: (id: string) => string };

/** Ids with a page, by the prefixes of `ID_PREFIX`. */
const ID_PAGES: Record<string, IdPage> = {
  pay: { label: "Payment", permission: "payment.read", path: (id) => `/payments/${id}` },
  txn: { label: "Transaction", permission: "payment.read", path: (id) => `/transactions/${id}` },
  cust: { label: "Customer", permission: "transaction.search", path: (id) => `/customers/${id}` },
  plan: { label: "Plan", permission: "subscription_plan.read", path: (id) => `/plans/${id}` },
  sub: { label: "Subscription", permission: "subscription.read", path: (id) => `/subscriptions/${id}` },
  inv: { label: "Invoice", permission: "invoice.read", path: (id) => `/invoices/${id}` },
  dp: { label: "Dispute", permission: "dispute.read", path: (id) => `/disputes/${id}` },
  pm: { label: "Card on file", permission: "payment_method.read", path: (id) => `/payment-methods/${id}` },
  cs: { label: "Client session", permission: "payment.read", path: (id) => `/checkout/${id}` },
  plink: { label: "Payment link", permission: "payment.read", path: (id) => `/checkout/links/${id}` },
  key: { label: "API key", permission: "api_key.manage", path: (id) => `/developers/api-keys#${id}` },
  req: { label: "Request", permission: "payment.read", path: (id) => `/developers/requests/${id}` },
};
const ID = /^([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const ID_BEGUN = /^(pay|txn|cust|plan|sub|inv|dp|pm|cs|plink|key|req)_/;
const EMAIL = /^[^\s@]+@[^\s@]*$/;
const LAST4 = /^\d{4}$/;
const AMOUNT = /^[$€£¥]?\s?\d{1,3}(?:[,.]?\d{3})*(?:[.,]\d+)?\s?(?:[a-z]{3}|[$€£¥])?$/i;
const INVOICE_NUMBER = /^inv-\d{1,9}$/i;
const MIN_KEY_LENGTH = 3;

/**
 * Possible targets of a typed or pasted text, the most likely first. Ids are looked up in both environments.
 */
export function jumpTargets(typed: string, mode: Mode): JumpTarget[] {
  const text = typed.trim();
  // Targets put the text into their address.
  if (!text || holdsSecret(text)) return [];
  const id = ID.exec(text.toLowerCase());
  const page = id && ID_PAGES[id[1] ?? ""];
  if (page) {
    const modes = [mode, ...MODES.filter((other) => other !== mode)];
    return modes.map((where) => ({
      label: `${page.label} ${text.toLowerCase()}`,
      detail: where === "test" ? "Test" : "Live",
      href: `/${where}${page.path(text.toLowerCase())}`,
      sure: true,
      permission: page.permission,
    }));
  }
  if (ID_BEGUN.test(text)) return [];
  if (INVOICE_NUMBER.test(text)) {
    return [
      {
        label: `Invoice ${text.toUpperCase()}`,
        detail: mode === "test" ? "Test" : "Live",
        href: `/${mode}/invoices?q=${encodeURIComponent(text)}`,
        sure: true,
        permission: "invoice.read",
      },
    ];
  }
  const sure = EMAIL.test(text) || LAST4.test(text) || AMOUNT.test(text);
  const search = {
    label: searchLabel(text),
    detail: "Transactions",
    href: `/${mode}/transactions?q=${encodeURIComponent(text)}`,
    sure,
    permission: "transaction.search" as const,
  };
  if (EMAIL.test(text)) return [search, ...recurringTargets(text, mode, true)];
  if (sure) return [search];
  return text.length >= MIN_KEY_LENGTH && !/\s/.test(text)
    ? [idempotencyTarget(text, mode), search, ...recurringTargets(text, mode, false)]
    : [search];
}

/** A customer's subscriptions and invoices, by e-mail address or id. */
function recurringTargets(text: string, mode: Mode, sure: boolean): JumpTarget[] {
  const query = `?q=${encodeURIComponent(text)}`;
  return [
    {
      label: `Subscriptions of ${text}`,
      detail: "Subscriptions",
      href: `/${mode}/subscriptions${query}`,
      sure,
      permission: "subscription.read",
    },
    {
      label: `Invoices of ${text}`,
      detail: "Invoices",
      href: `/${mode}/invoices${query}`,
      sure,
      permission: "invoice.read",
    },
  ];
}

function idempotencyTarget(key: string, mode: Mode): JumpTarget {
  return {
    label: `Idempotency key ${key}`,
    detail: "Inspector",
    href: `/${mode}/developers/idempotency?key=${encodeURIComponent(key)}`,
    sure: false,
    permission: "payment.read",
  };
}

function searchLabel(text: string): string {
  if (EMAIL.test(text)) return `Payments of ${text}`;
  if (LAST4.test(text)) return `Cards ending in ${text}, and orders`;
  if (AMOUNT.test(text)) return `Payments of ${text}`;
  return `Search payments for ${text}`;
}
