import type { Dispute } from "@/lib/contract/disputes/dispute";
import type { UserRole } from "@/lib/contract/permissions";
import type { InvoiceStatus, SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { CardBrand, Mode, TransactionStatus, TransactionType } from "@/lib/contract/transactions/words";
import type { StaffActView } from "./staff-acts";

export type MerchantProfile = {
  readonly id: string;
  readonly name: string;
  readonly website: string | null;
  readonly supportEmail: string | null;
  readonly timeZone: string;
  readonly createdAt: string;
  readonly suspendedAt: string | null;
  readonly suspendedReason: string | null;
};

export type MerchantMember = {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: UserRole;
  readonly secondFactor: boolean;
  readonly lockedUntil: string | null;
  readonly lastSignInAt: string | null;
};

/** Minor units. `recent`: the last 30 days in the merchant's time zone. */
export type CurrencyVolume = {
  readonly currency: string;
  readonly captured: number;
  readonly refunded: number;
  readonly fees: number;
  readonly recentCaptured: number;
  readonly recentRefunded: number;
  readonly recentApproved: number;
  readonly recentDeclined: number;
};

export type MerchantKey = {
  readonly id: string;
  readonly name: string;
  /** Prefix and last 4, as the merchant sees it; never the secret. */
  readonly shown: string;
  readonly status: "ACTIVE" | "DISABLED" | "REVOKED" | "EXPIRED";
  readonly permissions: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
};

export type MerchantError = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly at: string;
};

export type MerchantTransaction = {
  readonly id: string;
  readonly paymentId: string;
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly amount: number;
  readonly currency: string;
  readonly cardBrand: CardBrand | null;
  readonly cardLast4: string | null;
  readonly customerEmail: string | null;
  readonly createdAt: string;
};

export type MerchantSubscription = {
  readonly id: string;
  readonly status: SubscriptionStatus;
  readonly planName: string;
  /** Minor units, of a period. */
  readonly amount: number;
  readonly currency: string;
  readonly customer: string;
  readonly createdAt: string;
};

export type MerchantInvoice = {
  readonly id: string;
  readonly number: string | null;
  readonly status: InvoiceStatus;
  /** Minor units. */
  readonly amountDue: number;
  readonly currency: string;
  readonly customerId: string;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
};

/** One of the merchant's two environments. */
export type MerchantEnvironment = {
  readonly id: string;
  readonly mode: Mode;
  /** Hundredths of a percent. */
  readonly feeBasisPoints: number;
  /** The test clock's time; null = real time. */
  readonly clock: string | null;
  readonly volume: readonly CurrencyVolume[];
  readonly plans: number;
  readonly keys: readonly MerchantKey[];
  readonly errors: readonly MerchantError[];
  readonly transactions: readonly MerchantTransaction[];
  /** The newest. */
  readonly subscriptions: readonly MerchantSubscription[];
  /** The newest. */
  readonly invoices: readonly MerchantInvoice[];
  /** The newest. */
  readonly disputes: readonly Dispute[];
};

/** An account action by the merchant's own users. */
export type OwnAct = {
  readonly id: string;
  readonly action: string;
  /** Author, in plain words. */
  readonly actor: string;
  readonly at: string;
};

export type MerchantView = {
  readonly profile: MerchantProfile;
  readonly members: readonly MerchantMember[];
  readonly environment: MerchantEnvironment;
  readonly acts: readonly StaffActView[];
  readonly ownActs: readonly OwnAct[];
};

export const MEMBERS_SHOWN = 50;
export const KEYS_SHOWN = 50;
export const ERRORS_SHOWN = 20;
export const TRANSACTIONS_SHOWN = 10;
export const BILLING_SHOWN = 10;
export const ACTS_SHOWN = 20;
