import { findEnvironmentById, findMerchant, type MerchantRow } from "@/db/queries/accounts/merchants";
import { type ApiKeyRow, listApiKeys } from "@/db/queries/api-keys";
import { clockSettingOf } from "@/db/queries/clock";
import { listDisputes } from "@/db/queries/disputes";
import { listInvoices, listSubscriptions, runOn } from "@/db/queries/subscriptions/rows";
import {
  countPlans,
  listEnvironments,
  listMerchantMembers,
  listOwnActs,
  type OwnActRow,
  sumVolume,
  type VolumeRow,
} from "@/db/queries/support/merchants";
import { listSupportActs } from "@/db/queries/support/staff";
import { findListedTransactions } from "@/db/queries/transactions/transactions";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { RequestDetail } from "@/lib/contract/request-log/requests";
import {
  ACTS_SHOWN,
  BILLING_SHOWN,
  type CurrencyVolume,
  ERRORS_SHOWN,
  KEYS_SHOWN,
  MEMBERS_SHOWN,
  type MerchantEnvironment,
  type MerchantError,
  type MerchantInvoice,
  type MerchantKey,
  type MerchantMember,
  type MerchantProfile,
  type MerchantSubscription,
  type MerchantTransaction,
  type MerchantView,
  type OwnAct,
  TRANSACTIONS_SHOWN,
} from "@/lib/contract/support/merchant-view";
import type { Mode } from "@/lib/contract/transactions/words";
import { clockTime, type Environment, type Service } from "@/lib/domain/context";
import { idTime } from "@/lib/ids";
import { presentDispute } from "../disputes/record-dispute";
import { getIdempotencyKey, type KeyLookup } from "../idempotency/inspect-keys";
import type { Can } from "../request-log/body-access";
import { detailOf, findRequestOfAnyone, listRecentErrors } from "../request-log/read-requests";
import { invoiceNumber } from "../subscriptions/present";
import { inEnvironment, type StaffCall } from "./staff";
import { presentStaffAct, recordStaffAct } from "./staff-acts";

/** A merchant with one of its environments. Throws `resource_not_found` for an unknown id. */
export async function getMerchantView(call: StaffCall, input: { id: string; mode: Mode }): Promise<MerchantView> {
  const { service, staff, request } = call;
  const id = decodeId("merchant", input.id);
  const merchant = id && (await findMerchant(service.db.orm, id));
  if (!merchant) throw merchantNotFound(input.id);
  const environments = await listEnvironments(service.db.orm, merchant.id);
  const environment = environments.find((candidate) => candidate.mode === input.mode);
  if (!environment) throw new AppError("resource_not_found", `This merchant has no ${input.mode} environment.`);
  await recordStaffAct(service, staff, {
    action: "support.viewed_merchant",
    merchantId: merchant.id,
    environmentId: environment.id,
    objectId: input.id,
    requestId: request.id,
  });
  const [members, shown, acts, ownActs] = await Promise.all([
    listMerchantMembers(service.db.orm, merchant.id, MEMBERS_SHOWN),
    getMerchantEnvironment(call, {
      ...environment,
      clock: clockSettingOf(environment),
      merchantId: merchant.id,
      timeZone: merchant.time_zone,
    }),
    listSupportActs(service.db.orm, { merchantId: merchant.id }, ACTS_SHOWN),
    listOwnActs(
      service.db.orm,
      environments.map((one) => one.id),
      ACTS_SHOWN,
    ),
  ]);
  return {
    profile: profileOf(merchant),
    members: members.map(presentMember),
    environment: shown,
    acts: acts.map(presentStaffAct),
    ownActs: ownActs.map(presentOwnAct),
  };
}

function profileOf(row: MerchantRow): MerchantProfile {
  return {
    id: encodeId("merchant", row.id),
    name: row.name,
    website: row.website,
    supportEmail: row.support_email,
    timeZone: row.time_zone,
    createdAt: row.created_at,
    suspendedAt: row.suspended_at,
    suspendedReason: row.suspended_reason,
  };
}

function presentMember(row: Awaited<ReturnType<typeof listMerchantMembers>>[number]): MerchantMember {
  return {
    id: encodeId("user", row.id),
    email: row.email,
    name: row.name,
    role: row.role,
    secondFactor: row.mfa,
    lockedUntil: row.locked_until,
    lastSignInAt: row.last_sign_in_at,
  };
}

const ACTORS = {
  api_key: "An API key",
  user: "A former member of the team",
  staff: "Support",
  shopper: "A shopper",
  customer: "A customer",
  system: "Cardlane",
} as const;

function presentOwnAct(row: OwnActRow): OwnAct {
  const actor = row.actor_email ?? ACTORS[row.actor.type];
  return { id: encodeId("audit", row.id), action: row.action, actor, at: idTime(row.id) };
}

type Shown = Environment & { fee_basis_points: number; timeZone: string };

/** Staff's view of an environment. Not audited here, but by the callers. */
async function getMerchantEnvironment(call: StaffCall, shown: Shown): Promise<MerchantEnvironment> {
  const { service } = call;
  const { sql, orm } = service.db;
  const newest = { limit: BILLING_SHOWN, offset: 0, after: null };
  const [volume, plans, keys, errors, transactions, subscriptions, invoices, disputes] = await Promise.all([
    sumVolume(sql, shown.id, shown.timeZone),
    countPlans(orm, shown.id),
    listApiKeys(orm, shown.id, KEYS_SHOWN),
    listRecentErrors(service, shown, ERRORS_SHOWN),
    findListedTransactions(
      sql,
      shown.id,
      {},
      { sort: "created_at", order: "desc", limit: TRANSACTIONS_SHOWN, offset: 0 },
      null,
    ),
    listSubscriptions(runOn(sql), shown.id, {}, newest),
    listInvoices(runOn(sql), shown.id, {}, newest),
    listDisputes(orm, shown.id, {}, newest),
  ]);
  const now = service.clock.now().toISOString();
  return {
    id: encodeId("environment", shown.id),
    mode: shown.mode,
    feeBasisPoints: shown.fee_basis_points,
    clock: shown.clock && clockTime(service.clock, shown.clock).toISOString(),
    volume: volumeOf(volume),
    plans,
    keys: keys.map((key) => presentKey(key, now)),
    errors: errors.map(presentError),
    transactions: transactions.rows.map(presentRow),
    subscriptions: subscriptions.map(presentSubscription),
    invoices: invoices.map(presentInvoice),
    disputes: disputes.map((row) => presentDispute(row, shown.mode)),
  };
}

const presentSubscription = (row: SubscriptionRow): MerchantSubscription => ({
  id: encodeId("subscription", row.id),
  status: row.status,
  planName: row.plan.name,
  amount: row.plan.amount * row.quantity,
  currency: row.currency,
  customer: row.customer_email ?? row.customer_id,
  createdAt: row.created_at,
});

const presentInvoice = (row: InvoiceRow): MerchantInvoice => ({
  id: encodeId("invoice", row.id),
  number: row.number === null ? null : invoiceNumber(row.number),
  status: row.status,
  amountDue: row.amount_due,
  currency: row.currency,
  customerId: row.customer_id,
  nextAttemptAt: row.next_attempt_at,
  createdAt: row.created_at,
});

function volumeOf(rows: VolumeRow[]): CurrencyVolume[] {
  const currencies = [...new Set(rows.map((row) => row.currency))];
  return currencies.map((currency) => {
    const of = (measure: VolumeRow["measure"]) =>
      rows.find((row) => row.currency === currency && row.measure === measure);
    return {
      currency,
      captured: of("captured")?.amount ?? 0,
      refunded: (of("refunded")?.amount ?? 0) - (of("refund_failed")?.amount ?? 0),
      fees: of("fee")?.amount ?? 0,
      recentCaptured: of("captured")?.recent_amount ?? 0,
      recentRefunded: (of("refunded")?.recent_amount ?? 0) - (of("refund_failed")?.recent_amount ?? 0),
      recentApproved: of("approved")?.recent_count ?? 0,
      recentDeclined: of("declined")?.recent_count ?? 0,
    };
  });
}

function presentKey(key: ApiKeyRow, now: string): MerchantKey {
  const expired = key.status === "ACTIVE" && key.expires_at !== null && key.expires_at <= now;
  return {
    id: encodeId("apiKey", key.id),
    name: key.name,
    shown: `${key.prefix}…${key.last4}`,
    status: expired ? "EXPIRED" : key.status,
    permissions: key.permissions,
    expiresAt: key.expires_at,
    lastUsedAt: key.last_used_at,
    createdAt: key.created_at,
  };
}

function presentError(error: Awaited<ReturnType<typeof listRecentErrors>>[number]): MerchantError {
  const { id, method, path, status, code, detail, created_at } = error;
  return { requestId: id, method, path, status, code: code ?? "", detail: detail ?? "", at: created_at };
}

function presentRow(row: Awaited<ReturnType<typeof findListedTransactions>>["rows"][number]): MerchantTransaction {
  return {
    id: encodeId("transaction", row.id),
    paymentId: encodeId("payment", row.payment_id),
    type: row.type,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    cardBrand: row.card_brand,
    cardLast4: row.card_last4,
    customerEmail: row.customer_email,
    createdAt: row.created_at,
  };
}

/** An idempotency key of any merchant, by its `env_…` id. Throws `resource_not_found`. */
export async function getMerchantKey(
  call: StaffCall,
  input: KeyLookup & { environmentId: string },
): Promise<KeyDetail> {
  const id = decodeId("environment", input.environmentId);
  const environment = id && (await findEnvironmentForStaff(call.service, id));
  if (!environment) throw new AppError("resource_not_found", `There is no environment '${input.environmentId}'.`);
  await recordStaffAct(call.service, call.staff, {
    action: "support.viewed_key",
    merchantId: environment.merchantId,
    environmentId: environment.id,
    detail: { query: input.key },
    requestId: call.request.id,
  });
  return getIdempotencyKey(inEnvironment(call, environment), input);
}

/** A request of any merchant by its `req_…` id, with the merchant's id. Throws `resource_not_found`. */
export async function getMerchantRequest(
  call: StaffCall,
  input: { id: string; can: Can },
): Promise<{ request: RequestDetail; merchant: string; mode: Mode }> {
  const found = await findRequestOfAnyone(call.service, input.id);
  const environment = found && (await findEnvironmentForStaff(call.service, found.environmentId));
  if (!environment) throw new AppError("resource_not_found", `There is no request '${input.id}'.`);
  await recordStaffAct(call.service, call.staff, {
    action: "support.viewed_request",
    merchantId: environment.merchantId,
    environmentId: environment.id,
    objectId: input.id,
    requestId: call.request.id,
  });
  const request = await detailOf(inEnvironment(call, environment), found.row, input.can);
  return { request, merchant: encodeId("merchant", environment.merchantId), mode: environment.mode };
}

/** Any merchant's environment for support staff; null if the UUID is unknown. */
export async function findEnvironmentForStaff(service: Pick<Service, "db">, id: string): Promise<Environment | null> {
  return findEnvironmentById(service.db.orm, id);
}

export const merchantNotFound = (id: string) => new AppError("resource_not_found", `There is no merchant '${id}'.`);
