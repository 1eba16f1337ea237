import {
  countDisputes,
  type DisputeFilter,
  type DisputeStepRow,
  findDispute,
  listByDeadline,
  listDisputeSteps,
  listDisputesOfCustomer,
  openDisputeExport,
} from "@/db/queries/disputes";
import { findFileBytes, listFilesOf } from "@/db/queries/files";
import { readActorNames } from "@/db/queries/payments/payment-detail";
import type { FileRow } from "@/db/schema/disputes";
import { SYSTEM } from "@/db/schema/operations";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import type {
  DisputeDeadline,
  DisputeDetail,
  DisputePageQuery,
  DisputeStep,
  ListedDispute,
} from "@/lib/contract/disputes/list";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { type Context, environmentNow, resourceNotFound } from "../context";
import { openWhole } from "../cursor-list";
import { findCustomerOf } from "../customers/customers";
import { type ListResult, presentList, readInTime } from "../lists";
import { presentActor } from "../payments/present";
import { getPayment } from "../payments/read-payments";
import { disputeMeaning } from "./book-dispute";
import { presentFile } from "./files";
import { presentDispute } from "./record-dispute";

const DAY_MS = 86_400_000;

/** The page's list: the next deadline first. */
export async function listDisputeTable(ctx: Context, query: DisputePageQuery): Promise<ListResult<ListedDispute>> {
  const { limit = 20, offset = 0 } = query;
  const filter = filterOf(ctx, query);
  const { id, mode } = ctx.environment;
  const { orm } = ctx.service.db.within(id);
  const [rows, total] = await readInTime(query, () =>
    Promise.all([
      listByDeadline(orm, id, filter, { limit: limit + 1, offset, now: environmentNow(ctx) }),
      countDisputes(orm, id, filter, TOTAL_CAP),
    ]),
  );
  const data = rows.slice(0, limit).map(({ dispute, name, email }) => ({
    dispute: presentDispute(dispute, mode),
    customer: name ?? email ?? dispute.customer_id,
  }));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

/** Everything that the page's filters match, newest first, in one snapshot. `close` must be called. */
export const exportDisputes = (ctx: Context, query: DisputePageQuery) =>
  openWhole(ctx, filterOf(ctx, query), openDisputeExport, (rows) =>
    rows.map((row) => presentDispute(row, ctx.environment.mode)),
  );

function filterOf(ctx: Context, { status, reason, customer, deadline }: DisputePageQuery): DisputeFilter {
  return {
    status: status ?? (deadline && ["NEEDS_RESPONSE"]),
    reason,
    payer: customer,
    ...(deadline && deadlineRange(deadline, environmentNow(ctx))),
  };
}

function deadlineRange(deadline: DisputeDeadline, now: Date): Partial<DisputeFilter> {
  if (deadline === "passed") return { respondByUntil: now };
  if (deadline === "ahead") return { openAt: now };
  const days = deadline === "2-days" ? 2 : 7;
  return { respondByFrom: now, respondByUntil: new Date(now.getTime() + days * DAY_MS) };
}

/** A customer's newest disputes. `customerId` is the public id. */
export async function listCustomerDisputes(
  ctx: Context,
  customerId: string,
  limit: number,
): Promise<{ data: Dispute[]; total: number }> {
  const id = decodeId("customer", customerId);
  if (id === null) return { data: [], total: 0 };
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const { rows, total } = await listDisputesOfCustomer(sql, ctx.environment.id, id, limit);
  return { data: rows.map((row) => presentDispute(row, ctx.environment.mode)), total };
}

const MAX_STEPS = 50;

/** A dispute with its payment and history. Throws `resource_not_found` for unknown and foreign ids. */
export async function getDisputeDetail(ctx: Context, input: { id: string }): Promise<DisputeDetail> {
  const { environment, service } = ctx;
  const { sql, orm } = service.db.within(environment.id);
  const id = decodeId("dispute", input.id);
  const row = id && (await findDispute(orm, environment.id, id));
  if (!row) throw resourceNotFound("dispute", input.id);
  const dispute = presentDispute(row, environment.mode);
  const of = { id: row.id, payment_id: row.payment_id, publicId: dispute.id };
  const [payment, steps, files] = await Promise.all([
    getPayment(ctx, { id: encodeId("payment", row.payment_id) }),
    listDisputeSteps(sql, environment.id, of, MAX_STEPS),
    listFilesOf(orm, environment.id, row.id),
  ]);
  const [customer, names] = await Promise.all([
    findCustomerOf(ctx, payment),
    readActorNames(
      sql,
      environment,
      steps.map(({ actor }) => actor ?? SYSTEM),
    ),
  ]);
  const { status, amount, amount_refunded, currency, card, created_at } = payment;
  return {
    dispute,
    meaning: disputeMeaning(row),
    simulated: row.processor === service.processors.builtIn("test")?.name,
    files: files
      .map((file) => presentFile(file, environment.mode))
      .map(({ id, name, type, size }) => ({ id, name, type, size })),
    payment: { status, amount, amount_refunded, currency, card, created_at },
    customer: {
      id: customer?.id ?? null,
      customer_id: payment.customer_id,
      name: payment.customer_name ?? customer?.name ?? null,
      email: payment.customer_email,
    },
    timeline: steps
      .map((step) => ({
        id: step.id,
        kind: step.type === "dispute.updated" && (step.actor ?? SYSTEM).type !== "system" ? "saved" : kindOf(step.type),
        at: step.type === "dispute.opened" ? row.created_at : step.at,
        actor: presentActor(step.actor ?? SYSTEM, names),
      }))
      .filter(isShown),
  };
}

/** Consecutive drafts of one author are one step, the last. */
const isShown = (step: DisputeStep, at: number, all: readonly DisputeStep[]): boolean => {
  const next = all[at + 1];
  return step.kind !== "saved" || next?.kind !== "saved" || JSON.stringify(next.actor) !== JSON.stringify(step.actor);
};

/** A file of a dispute with its content, for its download. Throws `resource_not_found`. */
export async function getEvidenceFile(ctx: Context, input: { id: string; file: string }): Promise<FileRow> {
  const { environment, service } = ctx;
  const [disputeId, id] = [decodeId("dispute", input.id), decodeId("file", input.file)];
  const { orm } = service.db.within(environment.id);
  const row = disputeId && id ? await findFileBytes(orm, environment.id, { id, disputeId }) : null;
  if (!row) throw resourceNotFound("file", input.file);
  return row;
}

function kindOf(type: DisputeStepRow["type"]): DisputeStep["kind"] {
  switch (type) {
    case "dispute.opened":
      return "opened";
    case "dispute.updated":
      return "updated";
    case "dispute.due_soon":
      return "due_soon";
    case "dispute.evidence_submitted":
      return "submitted";
    case "dispute.won":
      return "won";
    case "dispute.lost":
      return "lost";
    case "dispute.accepted":
      return "accepted";
    default:
      return type satisfies never;
  }
}
