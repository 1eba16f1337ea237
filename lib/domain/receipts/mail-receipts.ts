import type { Orm } from "@/db/client";
import { countDueReceipts } from "@/db/queries/accounts/mail-outbox";
import { findMerchant, lockMerchant } from "@/db/queries/accounts/merchants";
import { insertAudit } from "@/db/queries/changes";
import {
  countRequestedMails,
  findReceiptSettings,
  insertReceiptMail,
  listEnvironmentsToRead,
  listEventsAfter,
  lockReading,
  type MailedRow,
  moveReading,
  type ReadEvent,
  type ReadingRow,
  readMailed,
  switchReceipts,
} from "@/db/queries/receipts";
import { isCanceled } from "@/db/refusals";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { creditNoteNumber, creditNoteTexts } from "@/lib/contract/invoices/credit-notes";
import { MAX_SENT_A_DAY, type ReceiptCause, receiptNumber } from "@/lib/contract/receipts/receipts";
import { receiptFormats, receiptTexts } from "@/lib/contract/receipts/texts";
import { idTime, newId } from "@/lib/ids";
import { onlyChanged } from "../accounts/account";
import { accountActor, recordAccountAct } from "../accounts/activity";
import type { Context, Service } from "../context";
import { invoiceNumber } from "../subscriptions/present";
import {
  cardInSentence,
  MAX_AGE_MS,
  MAX_QUEUED,
  oneLine,
  type Route,
  recipientsOf,
  type Sender,
  writeCustomerMail,
} from "./customer-mail";
import { receiptPaths, requireCaptured } from "./receipts";

type ReceiptSettings = { on_capture: boolean; on_refund: boolean };

/** Settings for receipts that are mailed automatically. */
export const getReceiptSettings = ({ service, environment }: Context): Promise<ReceiptSettings> =>
  findReceiptSettings(service.db.orm, environment.id);

/** Changes the given settings, for test and live alike. They apply to later captures and refunds only. */
export async function updateReceipts(
  ctx: Context,
  input: { on_capture?: boolean | undefined; on_refund?: boolean | undefined },
): Promise<ReceiptSettings> {
  const { merchantId } = ctx.environment;
  return ctx.service.db.orm.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = await findReceiptSettings(tx, ctx.environment.id);
    const after = {
      on_capture: input.on_capture ?? before.on_capture,
      on_refund: input.on_refund ?? before.on_refund,
    };
    const words = (on: boolean) => (on ? "on" : "off");
    const changes = onlyChanged({
      receipts_on_capture: [words(before.on_capture), words(after.on_capture)],
      receipts_on_refund: [words(before.on_refund), words(after.on_refund)],
    });
    if (Object.keys(changes).length === 0) return before;
    await switchReceipts(tx, merchantId, after);
    await recordAccountAct(tx, accountActor(ctx), "settings.receipts_updated", merchantId, { changes });
    return after;
  });
}

const ENVIRONMENTS_PER_QUERY = 50;
const EVENTS_PER_READ = 200;
/** The last environment that was processed; null at the start of a round. The job keeps it between runs. */
export type MailPosition = { after: string | null };

/**
 * Job that mails receipts for captures and refunds from committed events, so that payments don't wait for it.
 * The position is stored in the commit that writes the mails, so each is written once, even after a crash.
 * Environments are served round-robin within a run. Returns the number of events read.
 */
export async function mailReceipts(
  service: Pick<Service, "db" | "clock" | "baseUrl" | "log">,
  route: Route,
  stopping?: AbortSignal,
  place: MailPosition = { after: null },
): Promise<number> {
  const { sql, orm } = service.db;
  let read = 0;
  for (;;) {
    const round = await listEnvironmentsToRead(sql, { after: place.after, limit: ENVIRONMENTS_PER_QUERY });
    for (const environmentId of round) {
      if (stopping?.aborted) return read;
      if (route.leaves && (await countDueReceipts(orm, MAX_QUEUED)) >= MAX_QUEUED) return read;
      place.after = environmentId;
      try {
        read += await orm.transaction((tx) => readOn(service, tx, environmentId, route));
      } catch (error) {
        // A failed one is retried in the next round, and does not block the others.
        if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
        service.log.error({ err: error, environment_id: environmentId }, "receipts could not be mailed");
      }
    }
    if (round.length < ENVIRONMENTS_PER_QUERY) break;
  }
  place.after = null;
  return read;
}

async function readOn(
  service: Pick<Service, "clock" | "baseUrl">,
  tx: Orm,
  environmentId: string,
  route: Route,
): Promise<number> {
  const reading = await lockReading(tx, environmentId);
  if (reading === null) return 0;
  const events = await listEventsAfter(tx, environmentId, reading, EVENTS_PER_READ);
  const last = events.at(-1);
  if (last === undefined) return 0;
  const idsOf = (type: string, since: string | null) =>
    events.filter(isDue(type, since)).map((event) => event.object_id);
  const wanted = {
    paymentIds: idsOf("payment.captured", reading.captured_since),
    refundIds: idsOf("refund.succeeded", reading.refunded_since),
    failedIds: idsOf("refund.failed", reading.refunded_since),
  };
  if (Object.values(wanted).some((ids) => ids.length > 0)) {
    const from = service.clock.now().getTime() - MAX_AGE_MS;
    const isRecipient = await recipientsOf(tx, reading, route);
    // A paid invoice has a mail of its own, with a setting of its own.
    const due = (await readMailed(tx, environmentId, wanted)).filter(
      ({ at, customer_email, is_refund, is_of_invoice }) =>
        Date.parse(at) >= from &&
        customer_email !== null &&
        isRecipient(customer_email) &&
        (is_refund || !is_of_invoice),
    );
    const paths = await receiptPaths(
      tx,
      environmentId,
      due.map((row) => row.payment_id),
    );
    for (const row of due) {
      const link = service.baseUrl + paths.get(row.payment_id);
      const cause = row.is_failed ? "refund_failed" : row.is_refund ? "refunded" : "captured";
      await writeReceiptMail(tx, environmentId, { ...row, cause, link, recipient: row.customer_email ?? "" }, reading);
    }
  }
  await moveReading(tx, environmentId, last);
  return events.length;
}

const isDue =
  (type: string, since: string | null) =>
  (event: ReadEvent): boolean =>
    since !== null && event.type === type && BigInt(event.xid) >= BigInt(since);

type Merchant = Sender & Pick<ReadingRow, "time_zone">;
type ReceiptMail = MailedRow & { cause: ReceiptCause; link: string; recipient: string };

/**
 * False, with nothing written, if the capture or refund already has its mail. `also`: a sentence that follows
 * the first.
 */
export async function writeReceiptMail(
  tx: Orm,
  environmentId: string,
  mail: ReceiptMail,
  of: Merchant,
  also: readonly string[] = [],
): Promise<boolean> {
  const id = newId();
  const { payment_id, transaction_id, cause, recipient } = mail;
  const row = { id, payment_id, transaction_id, cause, created_at: idTime(id) };
  if (!(await insertReceiptMail(tx, environmentId, row))) return false;
  const { subject, sentence, view, link, locale } = textOf(mail, of);
  const rest = [view, link];
  await writeCustomerMail(tx, of, { recipient, locale, subject, sentences: [sentence, ...also], rest });
  return true;
}

/** Descriptions are on the receipt, not in the mail. */
function textOf(mail: ReceiptMail, { merchant_name, time_zone }: Merchant) {
  const { locale } = mail;
  const { mail: texts, receipt } = receiptTexts(locale);
  const formats = receiptFormats(locale, time_zone);
  const merchant = oneLine(merchant_name);
  const sale = {
    merchant,
    amount: formats.money(mail.amount, mail.currency),
    card: cardInSentence({ brand: mail.card_brand, last4: mail.card_last4 }),
    day: formats.day(new Date(mail.at)),
  };
  const { title, sentence } = mail.is_failed
    ? { title: texts.returned, sentence: texts.refundReturned(sale) }
    : mail.is_refund
      ? { title: texts.refund, sentence: texts.refunded(sale) }
      : { title: receipt, sentence: texts.charged(sale) };
  return { locale, subject: texts.subject(title, merchant, sale.amount), sentence, ...documentOf(mail) };
}

/** The refund's own document, or the receipt. */
function documentOf({ locale, is_failed, credit_note, invoice_number, payment_id, link }: ReceiptMail) {
  if (is_failed || credit_note === null) {
    return { view: receiptTexts(locale).mail.view(receiptNumber(encodeId("payment", payment_id))), link };
  }
  const texts = creditNoteTexts(locale);
  const number = creditNoteNumber(credit_note);
  const view =
    invoice_number === null ? texts.view(number) : texts.viewOfInvoice(number, invoiceNumber(invoice_number));
  return { view, link: `${link}/credit-note/${number}` };
}

/**
 * Mails a payment's receipt at a user's request. Throws `invalid_state` if nothing was charged, and
 * `rate_limited` after five for one payment within a day, so that no mailbox can be flooded.
 */
export async function sendReceipt(
  ctx: Context,
  input: { id: string; email: string },
  route: Route,
): Promise<{ email: string }> {
  const { service, environment } = ctx;
  const { id: environmentId, mode, merchantId } = environment;
  const { id, chargeId } = await requireCaptured(ctx, input.id);
  await service.db.orm.transaction(async (tx) => {
    const paths = await receiptPaths(tx, environmentId, [id]);
    if ((await countRequestedMails(tx, environmentId, id)) >= MAX_SENT_A_DAY) throw sentTooOften();
    const merchant = await findMerchant(tx, merchantId);
    if (merchant === null) throw new Error("an environment has a merchant");
    const isRecipient = await recipientsOf(tx, { mode, merchant_id: merchantId }, route);
    if (!isRecipient(input.email)) throw notInTestMode();
    const [row] = await readMailed(tx, environmentId, { paymentIds: [id] });
    if (row?.transaction_id !== chargeId) throw new Error("a captured payment has a charge");
    const mail = { ...row, cause: "requested", link: service.baseUrl + paths.get(id), recipient: input.email } as const;
    await writeReceiptMail(tx, environmentId, mail, { ...merchant, mode, merchant_name: merchant.name });
    const auditId = newId();
    await insertAudit(tx, environmentId, {
      id: auditId,
      actor: ctx.actor,
      action: "payment.receipt_sent",
      object_id: id,
      request_id: ctx.request.id,
      detail: { email: input.email },
      created_at: idTime(auditId),
    });
  });
  return { email: input.email };
}

const sentTooOften = () =>
  new AppError(
    "rate_limited",
    `This receipt was sent ${MAX_SENT_A_DAY} times within a day. Send the customer its link instead: open it with “View receipt”.`,
    { retryAfterSeconds: 3600 },
  );

const notInTestMode = () =>
  new AppError(
    "invalid_parameter",
    "In test mode, receipts only go to your team's confirmed addresses. Use one of those.",
    { param: "email" },
  );
