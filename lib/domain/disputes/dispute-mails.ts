import type { Orm, Sql } from "@/db/client";
import { type DisputeNoticeDue, findDispute, nextDisputeNotice, takeDisputeNotices } from "@/db/queries/disputes";
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
/** Disputes per transaction. */
const DISPUTES_PER_RUN = 20;
const MAX_RECIPIENTS = 20;
/** Roles that look after money. */
const RECIPIENTS: readonly MerchantRole[] = ["owner", "admin", "finance"];

/**
 * Job that mails the team when a dispute opens and two days before its deadline, with the event
 * `dispute.due_soon`. A notice is recorded in the commit that writes both, so each is sent once, even after a
 * crash. Of all environments, or of one. Returns the number of disputes.
 */
export function notifyOfDisputes(
  service: Pick<Service, "db" | "baseUrl">,
  environmentId: string | null = null,
): Promise<number> {
  return service.db.orm.transaction(async (tx) => {
    const due = await takeDisputeNotices(tx, DUE_SOON_DAYS, DISPUTES_PER_RUN, environmentId);
    for (const dispute of due) {
      // A dispute that opens this late has one mail, and both events.
      if (dispute.is_soon) await emitDueSoon(tx, dispute);
      const mail = mailOf(dispute, service.baseUrl);
      for (const recipient of await listAddresses(tx, dispute.merchant_id, RECIPIENTS, MAX_RECIPIENTS)) {
        await writeMail(tx, { recipient, ...mail });
      }
    }
    return due.length;
  });
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
