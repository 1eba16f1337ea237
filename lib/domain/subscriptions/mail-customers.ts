import type { Orm } from "@/db/client";
import { isoFromPostgres } from "@/db/client";
import { countDueReceipts } from "@/db/queries/accounts/mail-outbox";
import { readMailed } from "@/db/queries/receipts";
import {
  type DueMail,
  findFailedPayment,
  findMailedSubscription,
  listDueMails,
  listMailedSubscriptions,
  type MailedEvent,
  type MailedSubscription,
  postponeMail,
  takeMail,
} from "@/db/queries/subscriptions/mails";
import { isCanceled } from "@/db/refusals";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { NUMBER_LOCALES } from "@/lib/contract/checkout/localized";
import type { EventData } from "@/lib/contract/events/event";
import { decodeId } from "@/lib/contract/ids";
import { receiptFormats } from "@/lib/contract/receipts/texts";
import { mailTexts } from "@/lib/contract/subscriptions/mail-texts";
import { PAYMENT_FAILED } from "@/lib/contract/subscriptions/statuses";
import type { Service } from "../context";
import { invoiceUrl } from "../invoices/hosted-link";
import {
  cardInSentence,
  MAX_AGE_MS,
  MAX_QUEUED,
  oneLine,
  type Route,
  recipientsOf,
  writeCustomerMail,
} from "../receipts/customer-mail";
import { writeReceiptMail } from "../receipts/mail-receipts";
import { receiptPaths } from "../receipts/receipts";

type MailService = Pick<Service, "db" | "baseUrl" | "secret" | "log">;

const PAGE = { perEnvironment: 20, limit: 200 };
/** Delay before a mail that could not be written is tried again. */
const LATER_MS = 60_000;
/** Max subscriptions of one expiring card that are mailed about. */
const MAX_OF_ONE_CARD = 20;

/**
 * Job that writes the mails queued with their events. A row is removed in the commit that writes its mail, so
 * that each is written once, even after a crash. Returns the number done.
 */
export async function mailCustomers(service: MailService, route: Route, stopping?: AbortSignal): Promise<number> {
  const { sql, orm } = service.db;
  let done = 0;
  for (const due of await listDueMails(sql, PAGE)) {
    if (stopping?.aborted) break;
    if (route.leaves && (await countDueReceipts(orm, MAX_QUEUED)) >= MAX_QUEUED) break;
    try {
      await orm.transaction((tx) => writeMailOf(service, tx, due, route));
      done++;
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
      service.log.error({ err: error, ...due }, "a mail about a subscription could not be written");
      await postponeMail(sql, due, LATER_MS);
    }
  }
  return done;
}

type Mailing = {
  readonly service: MailService;
  readonly tx: Orm;
  readonly environmentId: string;
  readonly event: MailedEvent;
  readonly isRecipient: (email: string) => boolean;
};

async function writeMailOf(service: MailService, tx: Orm, due: DueMail, route: Route): Promise<void> {
  const event = await takeMail(tx, due);
  if (event === null || event.age_ms > MAX_AGE_MS) return;
  const mailing = {
    service,
    tx,
    environmentId: due.environment_id,
    event,
    isRecipient: await recipientsOf(tx, event, route),
  };
  switch (event.type) {
    case "subscription.trial_will_end":
      return trialEnds(mailing, event.data as EventData<"subscription.trial_will_end">);
    case "invoice.paid":
      return wasPaid(mailing, event.data as EventData<"invoice.paid">);
    case "invoice.payment_failed":
      return paymentFailed(mailing, event.data as EventData<"invoice.payment_failed">);
    case "payment_method.expiring":
      return cardExpires(mailing, event.data as EventData<"payment_method.expiring">);
    case "subscription.cancelled":
      return wasCancelled(mailing, event.data as EventData<"subscription.cancelled">);
    default:
      throw new Error(`no mail is about ${event.type}`);
  }
}

type Recipient = {
  readonly of: MailedSubscription;
  readonly email: string;
  readonly locale: CheckoutLocale;
  readonly formats: ReturnType<typeof receiptFormats>;
};

/** The subscription's customer; null if there is no address, or none that may be mailed. */
function recipientOf({ isRecipient }: Mailing, of: MailedSubscription | null): Recipient | null {
  const email = of?.customer_email ?? null;
  if (of === null || email === null || !isRecipient(email)) return null;
  const { locale } = of;
  return { of, email, locale, formats: receiptFormats(locale, of.time_zone) };
}

async function findRecipient(mailing: Mailing, publicId: string): Promise<Recipient | null> {
  const { tx, environmentId } = mailing;
  return recipientOf(
    mailing,
    await findMailedSubscription(tx, environmentId, decodeId("subscription", publicId) ?? ""),
  );
}

const cardOnFile = ({ card_brand, card_last4 }: Pick<MailedSubscription, "card_brand" | "card_last4">) =>
  cardInSentence({ brand: card_brand, last4: card_last4 });

type Content = { subject: string; sentences: readonly string[]; rest?: readonly string[] };

const write = ({ tx, event }: Mailing, { email, locale }: Recipient, { subject, sentences, rest = [] }: Content) =>
  writeCustomerMail(tx, event, { recipient: email, locale, subject, sentences, rest });

async function trialEnds(mailing: Mailing, { object }: EventData<"subscription.trial_will_end">): Promise<void> {
  const to = await findRecipient(mailing, object.id);
  // Nothing follows the trial of a subscription that ends with it.
  if (to === null || object.trial_end_at === null || object.next_invoice_amount === null) return;
  const texts = mailTexts(to.locale).trialEnding;
  const merchant = oneLine(mailing.event.merchant_name);
  const day = to.formats.day(new Date(object.trial_end_at));
  const amount = to.formats.money(object.next_invoice_amount, object.currency);
  const next =
    object.next_invoice_amount > 0 ? texts.charged({ merchant, amount, card: cardOnFile(to.of) }) : texts.nothingDue;
  await write(mailing, to, {
    subject: texts.subject(merchant, day),
    sentences: [`${texts.ends(merchant, day)} ${next}`],
  });
}

/** The receipt is that of the payment, whose own mails leave out payments of invoices. */
async function wasPaid(mailing: Mailing, { object }: EventData<"invoice.paid">): Promise<void> {
  const { service, tx, environmentId, event } = mailing;
  const to = await findRecipient(mailing, object.subscription_id);
  const paymentId = decodeId("payment", object.payment_ids.at(-1) ?? "");
  if (to === null || paymentId === null || object.amount_paid === 0) return;
  const [captured] = await readMailed(tx, environmentId, { paymentIds: [paymentId] });
  if (!captured) throw new Error("a paid invoice has a captured payment");
  const paths = await receiptPaths(tx, environmentId, [paymentId]);
  const { start_at, end_at } = object.period;
  const period = mailTexts(to.locale).period(to.formats.day(new Date(start_at)), to.formats.day(new Date(end_at)));
  const link = service.baseUrl + paths.get(paymentId);
  const mail = { ...captured, locale: to.locale, cause: "captured", link, recipient: to.email } as const;
  const of = { ...event, time_zone: to.of.time_zone };
  await writeReceiptMail(tx, environmentId, mail, of, object.kind === "CHANGE" ? [] : [period]);
}

async function paymentFailed(mailing: Mailing, { object }: EventData<"invoice.payment_failed">): Promise<void> {
  const { service, tx, environmentId, event } = mailing;
  // The last attempt ends the subscription, which has a mail of its own. A declined change owes nothing.
  if (object.status !== "OPEN") return;
  const to = await findRecipient(mailing, object.subscription_id);
  if (to === null) return;
  const failed = event.operation_id && (await findFailedPayment(tx, environmentId, event.operation_id));
  // The customer has seen it in the payment form, whose payments have no initiator.
  if (failed && failed.initiator !== "merchant") return;
  const texts = mailTexts(to.locale).failed;
  const merchant = oneLine(event.merchant_name);
  const { money, day } = to.formats;
  const amount = money(object.amount_due, object.currency);
  const mustConfirm = failed && failed.decline_code === "authentication_failed";
  const next =
    object.next_attempt_at === null ? texts.otherCard : texts.triedAgain(day(new Date(object.next_attempt_at)));
  await write(mailing, to, {
    subject: (mustConfirm ? texts.confirmSubject : texts.subject)(merchant, amount),
    sentences: [
      texts.notCharged(
        { merchant, amount, card: cardOnFile(failed || to.of) },
        day(new Date(isoFromPostgres(event.created_at))),
      ),
    ],
    rest: [
      mustConfirm ? texts.confirm : next,
      invoiceUrl(service, { environment_id: environmentId, id: event.object_id }),
    ],
  });
}

/** One mail for each address, about its next payment. */
async function cardExpires(mailing: Mailing, { object }: EventData<"payment_method.expiring">): Promise<void> {
  const { tx, environmentId, event } = mailing;
  const { card } = object;
  if (card === null) return;
  const mailed = new Set<string>();
  for (const of of await listMailedSubscriptions(tx, environmentId, event.object_id, MAX_OF_ONE_CARD)) {
    const to = recipientOf(mailing, of);
    if (to === null || of.cancel_at_period_end || mailed.has(to.email.toLowerCase())) continue;
    mailed.add(to.email.toLowerCase());
    const texts = mailTexts(to.locale).expiring;
    const merchant = oneLine(event.merchant_name);
    await write(mailing, to, {
      subject: texts.subject(merchant),
      sentences: [
        texts.expires(merchant, cardOnFile(of), monthText(card, to.locale)),
        texts.replace(merchant, to.formats.day(new Date(isoFromPostgres(of.period_end_at)))),
      ],
    });
  }
}

/** "December 2026" */
const monthText = ({ exp_year, exp_month }: { exp_year: number; exp_month: number }, locale: CheckoutLocale) =>
  new Intl.DateTimeFormat(NUMBER_LOCALES[locale], { timeZone: "UTC", month: "long", year: "numeric" }).format(
    Date.UTC(exp_year, exp_month - 1, 1),
  );

async function wasCancelled(
  mailing: Mailing,
  { object, previous }: EventData<"subscription.cancelled">,
): Promise<void> {
  // It never began.
  if (previous?.status === "INCOMPLETE") return;
  const to = await findRecipient(mailing, object.id);
  if (to === null || object.ended_at === null) return;
  const texts = mailTexts(to.locale).cancelled;
  const merchant = oneLine(mailing.event.merchant_name);
  const day = to.formats.day(new Date(object.ended_at));
  const ended = object.cancel_reason === PAYMENT_FAILED ? texts.unpaid : texts.ended;
  await write(mailing, to, { subject: texts.subject(merchant), sentences: [ended(merchant, day)] });
}
