import {
  countMovements,
  findMovement,
  type MovementKey,
  type MovementPlace,
  type MovementRow,
  openMovementExport,
  readBalances,
  readStatement,
  type StatementRow,
  listMovements as selectMovements,
} from "@/db/queries/settlement/balance";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { Balance, BalanceMovement } from "@/lib/contract/settlement/balance";
import type { ListMovementsQuery } from "@/lib/contract/settlement/endpoints";
import { API_ENVIRONMENTS } from "@/lib/contract/transactions/words";
import type { Context } from "../context";
import { openWhole } from "../cursor-list";
import { type ListResult, presentList, toMillisecondRange, unknownCursor } from "../lists";

/** The merchant's current balances, exactly as in the ledger. */
export async function getBalance(ctx: Context): Promise<Balance> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  return {
    object: "balance",
    environment: API_ENVIRONMENTS[ctx.environment.mode],
    currencies: await readBalances(sql, ctx.environment.id),
  };
}

/** From an instant up to another. */
type Period = { from: Date; before: Date };

/** Opening balance and movements of a period, by currency. */
export async function getStatement(ctx: Context, period: Period): Promise<StatementRow[]> {
  return readStatement(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, period);
}

/** Newest first. Throws `invalid_parameter` if `starting_after` is not a movement of this environment. */
export async function listMovements(ctx: Context, query: ListMovementsQuery): Promise<ListResult<BalanceMovement>> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const { limit = 20, offset = 0, starting_after } = query;
  const after = starting_after === undefined ? null : await findPlace(ctx, starting_after);
  if (starting_after !== undefined && !after) throw unknownCursor("movement", starting_after);
  const filter = filterOf(query);
  const [rows, total] = await Promise.all([
    selectMovements(sql, ctx.environment.id, filter, { limit: limit + 1, offset, after }),
    countMovements(sql, ctx.environment.id, filter, TOTAL_CAP + 1),
  ]);
  const data = rows.slice(0, limit).map(presentMovement);
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

function filterOf({ type, currency, created_after, created_before }: ListMovementsQuery) {
  const { gte, lt } = toMillisecondRange({ after: created_after, before: created_before });
  return { type, currency, from: gte, before: lt };
}

/** Everything that the query matches, in one snapshot. `close` must be called. */
export const exportMovements = (ctx: Context, query: ListMovementsQuery) =>
  openWhole(ctx, filterOf(query), openMovementExport, (rows) => rows.map(presentMovement));

async function findPlace(ctx: Context, publicId: string): Promise<MovementPlace | null> {
  const key = movementKey(publicId);
  return key && findMovement(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, key);
}

/** Position of a UUID's version digit, which is always 7 in ours. */
const VERSION = 14;

/**
 * A movement's id is that of the ledger entry's operation,
 * batch or movement, with the line number in place of the version digit.
 */
function movementId({ of, line }: MovementKey): string {
  return encodeId("balanceMovement", `${of.slice(0, VERSION)}${line}${of.slice(VERSION + 1)}`);
}

function movementKey(publicId: string): MovementKey | null {
  const uuid = decodeId("balanceMovement", publicId);
  const line = Number(uuid?.[VERSION]);
  return uuid && line > 0 ? { of: `${uuid.slice(0, VERSION)}7${uuid.slice(VERSION + 1)}`, line } : null;
}

function presentMovement(row: MovementRow): BalanceMovement {
  return {
    id: movementId(row),
    object: "balance_movement",
    type: row.type,
    currency: row.currency,
    amount: row.amount,
    transaction_id: encodeIdOrNull("transaction", row.transaction_id),
    settlement_batch_id: row.type === "settlement" ? encodeId("settlementBatch", row.of) : null,
    dispute_id: encodeIdOrNull("dispute", row.dispute_id),
    payout_id: row.type === "payout" || row.type === "payout_failure" ? encodeId("payout", row.of) : null,
    created_at: row.created_at,
  };
}
