import type { Orm } from "@/db/client";
import { listTeamAddresses } from "@/db/queries/receipts";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { isMailable, mailableAddress } from "@/lib/contract/emails";
import { receiptTexts } from "@/lib/contract/receipts/texts";
import { BRAND_NAMES, type CardBrand, type Mode } from "@/lib/contract/transactions/words";
import { writeMail } from "../accounts/mail";

/** True if mail leaves this machine. In test mode it then goes only to the team's own addresses. */
export type Route = { leaves: boolean };

/** Mails about something older than this, for example after an outage of days, are not written anymore. */
export const MAX_AGE_MS = 3 * 86_400_000;
/**
 * Max mails to customers in the mail queue, which is ordered: with more, one merchant's would delay all
 * others.
 */
export const MAX_QUEUED = 200;

/** In whose name a mail is sent. */
export type Sender = { mode: Mode; merchant_name: string; support_email: string | null };

/**
 * Merchants' servers may send any address, and test accounts
 * are free: they must not become a way to mail strangers.
 */
export async function recipientsOf(
  tx: Orm,
  { mode, merchant_id }: { mode: Mode; merchant_id: string },
  { leaves }: Route,
): Promise<(email: string) => boolean> {
  if (mode === "live" || !leaves) return isMailable;
  const team = await listTeamAddresses(tx, merchant_id);
  return (email) => team.has(mailableAddress(email)?.toLowerCase() ?? "");
}

/** Strips newlines and bidirectional controls: names are used in headers and sentences. */
export const oneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, 100);

/** " Visa •••• 4242", or nothing for an unknown card. */
export function cardInSentence({ brand, last4 }: { brand: CardBrand | null; last4: string | null }): string {
  if (last4 === null) return "";
  return `${brand === null ? "" : ` ${BRAND_NAMES[brand]}`} •••• ${last4}`;
}

type CustomerMail = {
  recipient: string;
  locale: CheckoutLocale;
  subject: string;
  /** Paragraphs before the notice of test mode, and after it. */
  sentences: readonly string[];
  rest: readonly string[];
};

/** Writes a mail in a merchant's name. User-written text is limited to the merchant's name and address. */
export async function writeCustomerMail(tx: Orm, of: Sender, mail: CustomerMail): Promise<void> {
  const { recipient, locale, subject, sentences, rest } = mail;
  const { mail: texts } = receiptTexts(locale);
  const name = oneLine(of.merchant_name);
  const isTest = of.mode === "test";
  const { support_email } = of;
  await writeMail(tx, {
    kind: "receipt",
    recipient,
    senderName: name,
    replyTo: support_email !== null && isMailable(support_email) ? support_email : null,
    subject: `${isTest ? `[${texts.test}] ` : ""}${subject}`,
    paragraphs: [
      ...sentences,
      ...(isTest ? [texts.noMoney] : []),
      ...rest,
      ...(support_email === null ? [] : [texts.questions(name, oneLine(support_email))]),
    ],
  });
}
