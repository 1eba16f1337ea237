import { listSupportActs } from "@/db/queries/support-audit-log";
import {
  findMerchant,
  listEnvironments,
  listOwnActs,
  listPeople,
  type MerchantRow,
  type OwnActRow,
} from "@/db/queries/support-merchants";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import {
  ACTS_SHOWN,
  type MerchantPerson,
  type MerchantProfile,
  type MerchantView,
  type OwnAct,
  PEOPLE_SHOWN,
} from "@/lib/contract/support/merchant-view";
import type { Mode } from "@/lib/contract/transactions/words";
import { idTime } from "@/lib/ids";
import { getMerchantEnvironment } from "./get-merchant-environment";
import { merchantNotFound } from "./merchant-not-found";
import { presentStaffAct } from "./present-staff-act";
import { recordStaffAct } from "./record-staff-act";
import type { StaffCall } from "./staff-call";

/** A merchant with one of its environments. Throws `resource_not_found` for an id that is no merchant's. */
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
  const [people, shown, acts, ownActs] = await Promise.all([
    listPeople(service.db.orm, merchant.id, PEOPLE_SHOWN),
    getMerchantEnvironment(call, { ...environment, merchantId: merchant.id, timeZone: merchant.time_zone }),
    listSupportActs(service.db.orm, { merchantId: merchant.id }, ACTS_SHOWN),
    listOwnActs(
      service.db.orm,
      environments.map((one) => one.id),
      ACTS_SHOWN,
    ),
  ]);
  return {
    profile: profileOf(merchant),
    people: people.map(presentPerson),
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

function presentPerson(row: Awaited<ReturnType<typeof listPeople>>[number]): MerchantPerson {
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
  system: "Cardlane",
} as const;

function presentOwnAct(row: OwnActRow): OwnAct {
  const actor = row.actor_email ?? ACTORS[row.actor.type];
  return { id: encodeId("audit", row.id), action: row.action, actor, at: idTime(row.id) };
}
