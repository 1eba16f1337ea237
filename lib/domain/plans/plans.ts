import {
  countPlans,
  findPlan,
  insertPlan,
  lockPlan,
  type PlanValues,
  listPlans as selectPlans,
  updatePlan as writePlan,
} from "@/db/queries/plans";
import type { PlanRow } from "@/db/schema/plans";
import { isSupportedCurrency, majorToMinor, minorToMajor } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId } from "@/lib/contract/ids";
import {
  type CreatePlanBody,
  FIXED_WHILE_ACTIVE,
  type ListPlansQuery,
  type Plan,
  type PlanStatus,
  type PlanType,
  planFieldErrors,
  type UpdatePlanBody,
} from "@/lib/contract/plans/plan";
import { dueAtOnce, type PlanOption, type PlanTerms, periodOf } from "@/lib/contract/plans/schedule";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { idTime } from "@/lib/ids";
import { type Context, environmentNow, newEnvironmentId, type Reply, resourceNotFound } from "../context";
import { changedMembers, recordChange } from "../events/event";
import { runOnce } from "../idempotency/run-once";
import { type ListResult, presentList, unknownCursor } from "../lists";

/** Creates a plan and returns it; refuses inconsistent fields, and a name that is taken. */
export function createPlan(ctx: Context, input: CreatePlanBody): Promise<Reply> {
  return runOnce(ctx, async (tx) => {
    const values = checkPlan(input);
    const id = newEnvironmentId(ctx);
    const created_at = idTime(id);
    const row = await insertPlan(tx, ctx.environment.id, { id, ...values, created_at, updated_at: created_at });
    if (row === null) throw nameTaken(input.name);
    const plan = presentPlan(row, ctx.environment.mode);
    await recordChange(ctx, tx, {
      type: "subscription_plan.created",
      action: "plan.created",
      objectId: id,
      data: { object: plan, previous: null },
    });
    return plan;
  });
}

/** Changes the given fields; the result must still be a valid plan. */
export function updatePlan(ctx: Context, input: UpdatePlanBody & { id: string }): Promise<Plan> {
  const { id: publicId, ...body } = input;
  return changePlan(ctx, publicId, (row) => {
    const { id, object, environment, created_at, updated_at, ...current } = presentPlan(row, ctx.environment.mode);
    const fixed = FIXED_WHILE_ACTIVE.filter((field) => body[field] !== undefined && body[field] !== current[field]);
    if (row.status === "ACTIVE" && fixed.length > 0) {
      throw invalidPlanState(
        row.status,
        `The ${fixed.join(", ")} of an ACTIVE plan cannot change. Deactivate this plan first, or create another one.`,
      );
    }
    const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    return checkPlan({ ...current, ...sent });
  });
}

/**
 * Locks a plan, computes its new values, and writes the difference.
 * Without one nothing is written, not even `updated_at`.
 */
function changePlan(ctx: Context, publicId: string, decide: (row: PlanRow) => Partial<PlanValues>): Promise<Plan> {
  const id = decodeId("plan", publicId);
  return ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    const row = id === null ? null : await lockPlan(tx, ctx.environment.id, id);
    if (row === null) throw resourceNotFound("plan", publicId);
    const changes = differences(row, decide(row));
    if (changes.status !== undefined) checkStatusChange(row.status, changes.status);
    if (Object.keys(changes).length === 0) return presentPlan(row, ctx.environment.mode);

    const updated_at = environmentNow(ctx).toISOString();
    const changed = await writePlan(tx, ctx.environment.id, row.id, { ...changes, updated_at });
    if (changed === null) throw nameTaken(changes.name ?? row.name);
    const plan = presentPlan(changed, ctx.environment.mode);
    const data = { object: plan, previous: changedMembers(presentPlan(row, ctx.environment.mode), plan) };
    for (const what of whatHappened(changes)) {
      const names = { type: `subscription_plan.${what}`, action: `plan.${what}` } as const;
      await recordChange(ctx, tx, { ...names, objectId: row.id, data });
    }
    return plan;
  });
}

function differences(row: PlanRow, wanted: Partial<PlanValues>): Partial<PlanValues> {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => row[key as keyof PlanValues] !== value));
}

function whatHappened({ status, ...others }: Partial<PlanValues>): ("updated" | "activated" | "deactivated")[] {
  const names: ReturnType<typeof whatHappened> = Object.keys(others).length > 0 ? ["updated"] : [];
  if (status === "ACTIVE") names.push("activated");
  if (status === "INACTIVE") names.push("deactivated");
  return names;
}

/** Makes a plan usable. An active plan stays as it is. */
export function activatePlan(ctx: Context, input: { id: string }): Promise<Plan> {
  return changePlan(ctx, input.id, () => ({ status: "ACTIVE" }));
}

/** Ends new use of a plan. An inactive plan stays as it is; a draft is refused (`invalid_state`). */
export function deactivatePlan(ctx: Context, input: { id: string }): Promise<Plan> {
  return changePlan(ctx, input.id, () => ({ status: "INACTIVE" }));
}

export async function getPlan(ctx: Context, input: { id: string }): Promise<Plan> {
  const id = decodeId("plan", input.id);
  const row =
    id === null ? null : await findPlan(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("plan", input.id);
  return presentPlan(row, ctx.environment.mode);
}

/** One page of plans, newest first. */
export async function listPlans(ctx: Context, input: ListPlansQuery): Promise<ListResult<Plan>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const limit = input.limit ?? 20;
  const offset = input.offset ?? 0;
  const filter = { status: input.status, type: input.type };
  const after = input.starting_after === undefined ? null : await startingAfter(ctx, input.starting_after);
  const [rows, total] = await Promise.all([
    selectPlans(orm, ctx.environment.id, filter, { limit: limit + 1, offset, after }),
    countPlans(orm, ctx.environment.id, filter, TOTAL_CAP),
  ]);
  const data = rows.slice(0, limit).map((row) => presentPlan(row, ctx.environment.mode));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

/** More than anyone scrolls through; the form's URL accepts any plan. */
const MAX_OPTIONS = 500;

/** The active plans of one type or all, newest first, each with the amount due on the day of purchase. */
export async function listPlanOptions(ctx: Context, type: PlanType | null): Promise<PlanOption[]> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const filter = { status: "ACTIVE" as const, type: type ?? undefined };
  const rows = await selectPlans(orm, ctx.environment.id, filter, { limit: MAX_OPTIONS, offset: 0, after: null });
  return rows.map((row) => {
    const terms = planTermsOf(row);
    return { id: encodeId("plan", row.id), name: row.name, amount: dueAtOnce(terms), currency: row.currency, terms };
  });
}

async function startingAfter(ctx: Context, given: string): Promise<string> {
  const id = decodeId("plan", given);
  const row =
    id === null ? null : await findPlan(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id);
  if (row === null) throw unknownCursor("plan", given);
  return row.id;
}

/** Converts the row to the API's format: prices in major units. */
export function presentPlan(row: PlanRow, mode: Mode): Plan {
  return {
    id: encodeId("plan", row.id),
    object: "subscription_plan",
    type: row.type,
    name: row.name,
    currency: row.currency,
    full_price_amount: minorToMajor(row.full_price, row.currency),
    status: row.status,
    description: row.description,
    billing_frequency_value: row.billing_frequency_value,
    billing_frequency_unit: row.billing_frequency_unit,
    trial_period_value: row.trial_period_value,
    trial_period_unit: row.trial_period_unit,
    trial_price_amount: row.trial_price === null ? null : minorToMajor(row.trial_price, row.currency),
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

type TermColumns =
  | ("type" | "full_price" | "trial_price" | "billing_frequency_value" | "billing_frequency_unit")
  | ("trial_period_value" | "trial_period_unit");

/** A stored plan's prices and schedule. */
export function planTermsOf(row: Pick<PlanRow, TermColumns>): PlanTerms {
  return {
    type: row.type,
    price: row.full_price,
    every: periodOf(row.billing_frequency_value, row.billing_frequency_unit),
    trial: periodOf(row.trial_period_value, row.trial_period_unit),
    trialPrice: row.trial_price,
  };
}

/**
 * The values to store. Throws with every invalid field (400),
 * or if the currency is not supported for payments (422).
 */
function checkPlan(body: CreatePlanBody): PlanValues {
  const errors = planFieldErrors(body);
  if (errors[0] !== undefined) throw new AppError(errors[0].code, errors[0].message, { errors });
  if (!isSupportedCurrency(body.currency)) throw currencyNotSupported(body.currency);
  return {
    type: body.type,
    name: body.name,
    currency: body.currency,
    full_price: majorToMinor(body.full_price_amount, body.currency) as number,
    status: body.status,
    description: body.description,
    billing_frequency_value: body.billing_frequency_value,
    billing_frequency_unit: body.billing_frequency_unit,
    trial_period_value: body.trial_period_value,
    trial_period_unit: body.trial_period_unit,
    trial_price: body.trial_price_amount === null ? null : majorToMinor(body.trial_price_amount, body.currency),
  };
}

export function currencyNotSupported(currency: string): AppError {
  return new AppError(
    "currency_not_supported",
    `The currency '${currency}' is not supported. Use an active ISO 4217 currency.`,
    {
      param: "currency",
    },
  );
}

function nameTaken(name: string): AppError {
  const message = `There is already a plan named '${name}' in this environment. Choose another name.`;
  return new AppError("already_exists", message, { errors: [{ param: "name", code: "already_exists", message }] });
}

/** Allowed status changes. A plan that was ever active never becomes a draft again. */
const NEXT: Record<PlanStatus, readonly PlanStatus[]> = {
  DRAFT: ["ACTIVE"],
  ACTIVE: ["INACTIVE"],
  INACTIVE: ["ACTIVE"],
};

function checkStatusChange(from: PlanStatus, to: PlanStatus): void {
  if (from !== to && !NEXT[from].includes(to)) {
    throw invalidPlanState(from, `A plan that is ${from} cannot become ${to}.`);
  }
}

function invalidPlanState(status: PlanStatus, detail: string): AppError {
  const allowed_actions = status === "ACTIVE" ? ["deactivate"] : ["activate"];
  return new AppError("invalid_state", detail, { extra: { current_status: status, allowed_actions } });
}
