import type { Sql } from "@/db/client";
import {
  acknowledgeSandboxDispute,
  decideSandboxDispute,
  findSandboxDispute,
  listUnreportedDisputes,
} from "@/db/queries/sandbox/disputes";
import type { SandboxDisputeRow } from "@/db/schema/sandbox";
import type { Clock } from "@/lib/clock";
import type { Processor, PulledReport } from "../port";
import type { Dispute, DisputeResponseOutcome, DisputeResponseRequest } from "../records";

/** In dollars' cents; other currencies are charged as many of their minor units. */
const FEE = 1_500;
const NETWORK_CODES: Partial<Record<Dispute["reason"], string>> = { FRAUDULENT: "10.4", NOT_RECEIVED: "13.1" };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Parts = { sql: Sql; clock: Clock; sqlFor(account: string): Sql; reach<T>(call: () => Promise<T>): Promise<T> };

/** The port's calls about disputes. */
export function createDisputeDesk({
  sql,
  clock,
  sqlFor,
  reach,
}: Parts): Required<Pick<Processor, "readDispute" | "respondToDispute">> {
  return {
    async readDispute(id) {
      const row = UUID.test(id) ? await reach(() => findSandboxDispute(sql, id)) : null;
      return row && toDispute(row);
    },
    respondToDispute: (request) => reach(() => respond(sqlFor(request.account), request, request.now ?? clock.now())),
  };
}

async function respond(sql: Sql, request: DisputeResponseRequest, now: Date): Promise<DisputeResponseOutcome> {
  const { account, reference, dispute: id } = request;
  const row = UUID.test(id)
    ? await decideSandboxDispute(sql, { id, account, reference, now }, decisionOn(request))
    : null;
  if (row === null) return { kind: "refused", refusal: "The sandbox has no such dispute." };
  if (row.response === reference) return { kind: "sent" };
  return { kind: "refused", refusal: "The dispute takes no response anymore." };
}

/** Words in the notes decide at once; otherwise the bank takes its time. */
function decisionOn(request: DisputeResponseRequest): SandboxDisputeRow["status"] {
  if (request.kind === "accept") return "accepted";
  const { notes = "" } = request.evidence.texts;
  if (notes.includes("winning_evidence")) return "won";
  return notes.includes("losing_evidence") ? "lost" : "under_review";
}

const toDispute = (row: SandboxDisputeRow): Dispute => ({
  id: row.id,
  amount: row.amount,
  currency: row.currency,
  reason: row.reason,
  network_reason_code: NETWORK_CODES[row.reason] ?? null,
  fee: FEE,
  withdrawn: true,
  submitted: row.response !== null && row.status !== "accepted",
  status: row.status,
  respond_by: row.status === "needs_response" ? new Date(row.respond_by) : null,
  created_at: new Date(row.created_at),
});

/** A report's id names the state that it reports, so that acknowledging it leaves a later one. */
const REPORT = /^dispute:(?<id>[0-9a-f-]{36}):(?<version>\d+)$/;

export async function listDisputeReports(
  sql: Sql,
  limit: number,
  of: { after: string } | { account: string },
): Promise<PulledReport[]> {
  const unreported = await listUnreportedDisputes(sql, limit, of);
  return unreported.map(({ id, account, charge, version }) => ({
    id: `dispute:${id}:${version}`,
    account,
    reference: charge,
    dispute: id,
  }));
}

/** False if the report is not about a dispute. */
export async function acknowledgeDisputeReport(sql: Sql, report: string): Promise<boolean> {
  const { id, version } = REPORT.exec(report)?.groups ?? {};
  if (id === undefined) return false;
  await acknowledgeSandboxDispute(sql, id, Number(version));
  return true;
}
