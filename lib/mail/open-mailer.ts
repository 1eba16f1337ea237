import { createTransport } from "nodemailer";
import type { MailRow } from "@/db/queries/mail-outbox";

export type Mailer = {
  /** Throws when the server did not take it. */
  send(mail: MailRow): Promise<void>;
  close(): void;
};

const TIMEOUT_MS = 15_000;

/** A mailer on an SMTP server. `from` is the sender, e.g. `Cardlane <no-reply@example.com>`. */
export function openMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport(
    { url: smtpUrl, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    { from },
  );
  return {
    async send(mail) {
      // The id stays the same when a mail is sent again because its confirmation got lost, so mailboxes can tell.
      const messageId = `<${mail.id}@cardlane>`;
      // As an object: in a text a comma would make it several recipients.
      const to = { name: "", address: mail.recipient };
      await transport.sendMail({ to, subject: mail.subject, text: mail.body, messageId });
    },
    close: () => transport.close(),
  };
}

/** Prints mail where no server takes it, for the person at the console: its links open accounts. */
export function consoleMailer(output: { write(text: string): unknown }): Mailer {
  return {
    async send({ recipient, subject, body }) {
      const lines = [`Mail to ${recipient}: ${subject}`, "", ...body.trim().split("\n")].map(printable);
      output.write(`\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n\n`);
    },
    close() {},
  };
}

/** People choose parts of a mail, and a terminal obeys control characters. */
const printable = (line: string) => line.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
