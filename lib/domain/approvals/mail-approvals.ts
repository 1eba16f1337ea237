import { type ApprovalMailDue, closeAnyEnded, takeApprovalMails } from "@/db/queries/approvals";
import { listAddresses } from "@/db/queries/team";
import type { KeyChange } from "@/db/schema/approvals";
import { SYSTEM } from "@/db/schema/operations";
import { limitsText, overlapText } from "@/lib/contract/api-keys/limits-text";
import { APPROVAL_DAYS, type ApprovalStatus, COLLECT_DAYS, type KeyAct } from "@/lib/contract/approvals/words";
import { isMailable } from "@/lib/contract/emails";
import { fullTimeText, moneyTextWithCode } from "@/lib/contract/format";
import { encodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import { writeMail } from "../accounts/mail";
import type { Service } from "../context";
import { recordFailures } from "./requests";

/** Requests per transaction. */
const REQUESTS_PER_RUN = 20;
const MAX_RECIPIENTS = 20;

/**
 * Job that stores the ends of requests, and mails open ones to those who may decide, and ends other than a
 * withdrawal to the member who requested. The mails are written in the commit that marks them as written, so
 * each is sent once. Returns the number of requests.
 */
export function mailApprovals(service: Pick<Service, "db" | "baseUrl">): Promise<number> {
  return service.db.orm.transaction(async (tx) => {
    const ended = await closeAnyEnded(tx, REQUESTS_PER_RUN);
    await recordFailures(tx, ended, { actor: SYSTEM, requestId: null });
    const due = await takeApprovalMails(tx, REQUESTS_PER_RUN);
    for (const request of due) {
      const { action, status, requester, merchant_id, finance_decides } = request;
      if (status === "PENDING") {
        const roles: MerchantRole[] = [
          "owner",
          "admin",
          ...(finance_decides && action === "REFUND" ? (["finance"] as const) : []),
        ];
        const found = await listAddresses(tx, merchant_id, roles, MAX_RECIPIENTS + 1);
        const recipients = found.filter((address) => address !== requester).slice(0, MAX_RECIPIENTS);
        for (const recipient of recipients) await writeMail(tx, { recipient, ...mailOf(service.baseUrl, request) });
      } else if (requester !== null && status !== "WITHDRAWN") {
        await writeMail(tx, { recipient: requester, ...mailOf(service.baseUrl, request) });
      }
    }
    return ended.length + due.length;
  });
}

/** Without the reason, the comment and names of keys and accounts: mail has no text that a user can choose. */
function mailOf(baseUrl: string, request: ApprovalMailDue) {
  const { mode, id, status, requester, decider } = request;
  const { act, failed } = wordsOf(request);
  const nameOf = (address: string | null) => (address && isMailable(address) ? address : "A colleague");
  const { subject, text } = {
    PENDING: {
      subject: `Approve ${act}?`,
      text: `${nameOf(requester)} requests your approval of ${act}. The first of you who decides settles it; after ${APPROVAL_DAYS} days the request expires:`,
    },
    APPROVED: {
      subject: `Approved: ${act}`,
      text: `${nameOf(decider)} approved your request: ${act}. ${isCollected(request) ? `Collect its secret within ${COLLECT_DAYS} days; it is shown once:` : "Here is what became of it:"}`,
    },
    REJECTED: {
      subject: `Rejected: ${act}`,
      text: `${nameOf(decider)} rejected your request: ${act}. Nothing was done:`,
    },
    FAILED: {
      subject: `Not possible: ${act}`,
      text: `Your request can no longer be carried out: ${act}. Nothing was done, because ${failed}:`,
    },
    EXPIRED: {
      subject: `Expired: ${act}`,
      text: `Nobody decided your request within ${APPROVAL_DAYS} days, so it expired: ${act}. Nothing was done. You can request it again:`,
    },
  }[status as Exclude<ApprovalStatus, "WITHDRAWN">];
  return {
    subject: mode === "test" ? `Test mode: ${subject}` : subject,
    paragraphs: [
      text,
      `${baseUrl}/${mode}/approvals/${encodeId("approval", id)}`,
      ...("act" in request.parameters ? [keyFacts(request.parameters)] : []),
    ],
  };
}

/** Describes the requested act, and why it can fail. */
function wordsOf({ action, amount, currency, parameters }: ApprovalMailDue): { act: string; failed: string } {
  switch (action) {
    case "REFUND":
      return {
        act: `a refund of ${moneyTextWithCode(amount ?? 0, currency ?? "")}`,
        failed: "the payment no longer allows it",
      };
    case "BANK_ACCOUNT":
      return { act: "another bank account for payouts", failed: "the account was changed in the meantime" };
    case "LIVE_KEY":
      return {
        act: KEY_WORDS["act" in parameters ? parameters.act : "CHANGE"],
        failed: "the key was changed or ended in the meantime, or its new expiry has passed",
      };
    case "APPROVAL_RULE":
      return { act: "a weaker rule for approvals", failed: "the rule was changed in the meantime" };
    default:
      return action satisfies never;
  }
}

const KEY_WORDS: Record<KeyAct, string> = {
  CREATE: "a new live API key",
  CHANGE: "more rights for a live API key",
  ROTATE: "the rotation of a live API key",
  ENABLE: "enabling a live API key",
};

/** A key's settings, a line each. Its name and addresses are texts of users: the request's page has them. */
function keyFacts({ act, before, after, overlap_hours }: KeyChange): string {
  const { permissions, limits, expires_at, ip_allow_list } = after;
  const had = act === "CHANGE" && before ? before.permissions : permissions;
  const added = permissions.filter((permission) => !had.includes(permission));
  const removed = had.filter((permission) => !permissions.includes(permission));
  const count = ip_allow_list.length;
  return [
    `Permissions: ${permissions.join(", ") || "None"}`,
    ...(added.length > 0 ? [`Added: ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`Removed: ${removed.join(", ")}`] : []),
    `Refund limits: ${limits ? limitsText(limits) : "None"}`,
    `Expires: ${expires_at === null ? "Never" : fullTimeText(new Date(expires_at), "UTC")}`,
    `Addresses: ${count === 0 ? "Any" : `${count} ${count === 1 ? "entry" : "entries"} in its allow list`}`,
    ...(overlap_hours === null ? [] : [`Old key works: ${overlapText(overlap_hours)}`]),
  ].join("\n");
}

const isCollected = ({ parameters }: ApprovalMailDue) =>
  "act" in parameters && (parameters.act === "CREATE" || parameters.act === "ROTATE");
