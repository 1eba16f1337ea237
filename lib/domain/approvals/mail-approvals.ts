import { type ApprovalMailDue, takeApprovalMails } from "@/db/queries/approvals";
import { listAddresses } from "@/db/queries/team";
import { APPROVAL_DAYS } from "@/lib/contract/approvals/words";
import { isMailable } from "@/lib/contract/emails";
import { moneyTextWithCode } from "@/lib/contract/format";
import { encodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import { writeMail } from "../accounts/mail";
import type { Service } from "../context";

/** Requests per transaction. */
const REQUESTS_PER_RUN = 20;
const MAX_RECIPIENTS = 20;

/**
 * Job that mails a request to those who may decide it, and its end to the member who requested it. The mails
 * are written in the commit that marks them as written, so each is sent once. Returns the number of requests.
 */
export function mailApprovals(service: Pick<Service, "db" | "baseUrl">): Promise<number> {
  return service.db.orm.transaction(async (tx) => {
    const due = await takeApprovalMails(tx, REQUESTS_PER_RUN);
    for (const request of due) {
      const { status, requester, merchant_id, finance_decides } = request;
      if (status === "PENDING") {
        const roles: MerchantRole[] = ["owner", "admin", ...(finance_decides ? (["finance"] as const) : [])];
        const found = await listAddresses(tx, merchant_id, roles, MAX_RECIPIENTS + 1);
        const recipients = found.filter((address) => address !== requester).slice(0, MAX_RECIPIENTS);
        for (const recipient of recipients) await writeMail(tx, { recipient, ...mailOf(service.baseUrl, request) });
      } else if (requester !== null && (status === "APPROVED" || status === "REJECTED" || status === "FAILED")) {
        await writeMail(tx, { recipient: requester, ...mailOf(service.baseUrl, request) });
      }
    }
    return due.length;
  });
}

/** Without the reason and the comment: mail has no text that a user can choose. */
function mailOf(baseUrl: string, request: ApprovalMailDue) {
  const { mode, id, status, amount, currency, requester, decider } = request;
  const money = moneyTextWithCode(amount, currency);
  const nameOf = (address: string | null) => (address && isMailable(address) ? address : "A colleague");
  const { subject, text } = {
    PENDING: {
      subject: `Approve a refund of ${money}?`,
      text: `${nameOf(requester)} requests your approval to refund ${money}. The first of you who decides settles it; after ${APPROVAL_DAYS} days the request expires:`,
    },
    APPROVED: {
      subject: `Approved: the refund of ${money}`,
      text: `${nameOf(decider)} approved your request to refund ${money}. Here is what became of it:`,
    },
    REJECTED: {
      subject: `Rejected: the refund of ${money}`,
      text: `${nameOf(decider)} rejected your request to refund ${money}, so nothing was refunded:`,
    },
    FAILED: {
      subject: `Not possible: the refund of ${money}`,
      text: `Your request to refund ${money} was approved, but the payment no longer allows it. Nothing was refunded for it:`,
    },
  }[status as "PENDING" | "APPROVED" | "REJECTED" | "FAILED"];
  return {
    subject: mode === "test" ? `Test mode: ${subject}` : subject,
    paragraphs: [text, `${baseUrl}/${mode}/approvals/${encodeId("approval", id)}`],
  };
}
