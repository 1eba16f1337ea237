import type { Orm, Sql } from "@/db/client";
import { type DisputeNoticeDue, findDispute, nextDisputeNotice, takeDisputeNotice } from "@/db/queries/disputes";
import { listAddresses } from "@/db/queries/team";
import type { DisputeNotice } from "@/lib/contract/disputes/statuses";
import { dateText, moneyTextWithCode, timeText } from "@/lib/contract/format";
import { encodeId } from "@/lib/contract/ids";
import { DISPUTE_REASON_WORDS } from "@/lib/contract/payments/words";
import type { MerchantRole } from "@/lib/contract/permissions";
import { writeMail } from "../accounts/mail";
import type { Service } from "../context";
import { emitDisputeEvent } from "./record-dispute";

const DUE_SOON_DAYS = 2;
const DISPUTES_PER_RUN = 20;
/** A run with more failures ends with the last one: more likely, nothing can be written. */
const MAX_FAILURES = 100;
const MAX_RECIPIENTS = 20;
/** Roles that look after money. */
const RECIPIENTS: readonly MerchantRole[] = ["owner", "admin", "finance"];

/**
 * Job that mails the team when a dispute opens and two days before its deadline, with the event
 * `dispute.due_soon`. A notice is recorded in the commit that writes both, so each is sent once, even after a
 * crash. Of all environments, or of one. Returns the number of disputes. One that fails is skipped; a run throws
 * if all that are left fail.
 */
export async function notifyOfDisputes(
  service: Pick<Service, "db" | "baseUrl">,
  environmentId: string | null = null,
): Promise<number> {
  const failures = new Map<string, unknown>();
  for (let mailed = 0; mailed < DISPUTES_PER_RUN; ) {
    const taken: { id: string | null } = { id: null };
    try {
      await service.db.orm.transaction(async (tx) => {
        const due = await takeDisputeNotice(tx, DUE_SOON_DAYS, [...failures.keys()], environmentId);
        taken.id = due?.id ?? null;
        if (due) await notify(tx, due, service.baseUrl);
      });
      if (taken.id === null) return endRun(mailed, failures);
      mailed++;
    } catch (error) {
      if (taken.id === null || failures.size >= MAX_FAILURES) throw error;
      failures.set(taken.id, error);
    }
  }
  return endRun(DISPUTES_PER_RUN, failures);
}

/** A run that mailed some is repeated at once, and fails when only failures are left. */
function endRun(mailed: number, failures: ReadonlyMap<string, unknown>): number {
  const [failure] = failures.values();
  if (mailed === 0 && failures.size > 0) throw failure;
  return mailed;
}

async function notify(tx: Orm, dispute: DisputeNoticeDue, baseUrl: string): Promise<void> {
  // A dispute that opens this late has one mail, and both events.
  if (dispute.is_soon) await emitDueSoon(tx, dispute);
  const mail = mailOf(dispute, baseUrl);
  for (const recipient of await listAddresses(tx, dispute.merchant_id, RECIPIENTS, MAX_RECIPIENTS)) {
    await writeMail(tx, { recipient, ...mail });
  }
}

async function emitDueSoon(tx: Orm, { environment_id, id, mode, at }: DisputeNoticeDue): Promise<void> {
  const row = await findDispute(tx, environment_id, id);
  if (!row) throw new Error(`the dispute ${id} disappeared`);
  const change = { before: row, after: row, at: new Date(at) };
  await emitDisputeEvent(tx, { id: environment_id, mode }, "dispute.due_soon", change);
}

/** When the next notice before a deadline is due in an environment, later than `after`; null if never. */
export const nextNoticeIn = (sql: Sql, environmentId: string, after: string): Promise<string | null> =>
  nextDisputeNotice(sql, environmentId, after, DUE_SOON_DAYS);

function mailOf(dispute: DisputeNoticeDue, baseUrl: string) {
  const { mode, notice, amount, currency, reason } = dispute;
  const subject = subjectOf(notice, dispute);
  return {
    subject: mode === "test" ? `Test mode: ${subject}` : subject,
    paragraphs: [
      `A cardholder's bank disputes ${moneyTextWithCode(amount, currency)} of a payment${mode === "test" ? " in test mode" : ""}. Reason: ${DISPUTE_REASON_WORDS[reason].toLowerCase()}.`,
      deadlineOf(dispute),
      `${baseUrl}/${mode}/disputes/${encodeId("dispute", dispute.id)}`,
      "Don't refund the payment in the meantime: if the bank decides for the cardholder, you would pay twice.",
    ],
  };
}

function subjectOf(notice: DisputeNotice, { amount, currency, respond_by, time_zone }: DisputeNoticeDue): string {
  const money = moneyTextWithCode(amount, currency);
  switch (notice) {
    case "opened":
      return `A payment is disputed: ${money}`;
    case "due_soon":
      return respond_by === null
        ? `Respond soon to the dispute of ${money}`
        : `Respond by ${dateText(new Date(respond_by), time_zone, { short: true })} to the dispute of ${money}`;
    default:
      return notice satisfies never;
  }
}

function deadlineOf({ status, respond_by, time_zone }: DisputeNoticeDue): string {
  if (status === "UNDER_REVIEW") return "The bank is deciding. Nothing is needed from you now:";
  if (respond_by === null) return "Respond with evidence, or the amount is lost:";
  return `Respond with evidence by ${timeText(new Date(respond_by), time_zone)} (${time_zone}), or the amount is lost:`;
}
