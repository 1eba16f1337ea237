import type { ShellPage } from "./pages";

/** Pages that only the palette lists. Kept apart because every page loads the navigation's list. */
export const INNER_PAGES: readonly Pick<ShellPage, "label" | "path" | "also" | "permission">[] = [
  {
    label: "New payment link",
    path: "/checkout/links/new",
    also: ["create", "sell by link"],
    permission: "client_session.create",
  },
  {
    label: "New client session",
    path: "/checkout/new",
    also: ["create", "payment form", "checkout"],
    permission: "client_session.create",
  },
  {
    label: "Appearance of the payment form",
    path: "/checkout/appearance",
    also: ["appearance", "design", "color", "theme"],
    permission: "settings.manage",
  },
  {
    label: "New plan",
    path: "/plans/new",
    also: ["create", "subscription", "price"],
    permission: "subscription_plan.write",
  },
  {
    label: "Add subscriber",
    path: "/subscriptions/new",
    also: ["create", "subscription", "new"],
    permission: "subscription.write",
  },
  {
    label: "Balance",
    path: "/balance",
    also: ["statement", "movements", "fees"],
    permission: "balance.read",
  },
  {
    label: "Settlement batches",
    path: "/settlement-batches",
    also: ["fees", "settled"],
    permission: "balance.read",
  },
  {
    label: "Idempotency",
    path: "/developers/idempotency",
    also: ["inspector", "replay", "keys", "developers"],
    permission: "payment.read",
  },
  {
    label: "New API key",
    path: "/developers/api-keys/new",
    also: ["create", "secret", "token"],
    permission: "api_key.manage",
  },
];
