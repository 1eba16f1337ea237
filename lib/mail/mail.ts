import { createTransport } from "nodemailer";
import type { MailRow } from "@/db/queries/accounts/mail-outbox";
import { findServiceSetting, storeServiceSetting } from "@/db/queries/service/settings";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { addressForServers } from "@/lib/contract/emails";
import type { Service } from "@/lib/domain/context";
import { env } from "@/lib/env";

/** Headers added by proxies and tunnels. */
const BY_PROXIES = new RegExp(
  "^(?:x-forwarded-.*|forwarded|via|cdn-loop|max-forwards|x-real-ip|x-.*client-ip|true-client-ip|x-original-.*|cf-.*|" +
    "fastly-.*|x-amz.*|x-azure-.*|x-arr-.*|x-envoy-.*|x-nginx-.*|x-proxy.*|x-varnish|proxy-.*|tailscale-.*)$",
);
const PROXY_SEEN = "proxy_seen";

/** On globalThis, because Next bundles the pages with a copy of every module. */
const holder = globalThis as { [key: symbol]: { isStored: boolean } | undefined };
const KEY = Symbol.for("cardlane.proxy-seen");

export const isProxied = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(headers).some((name) => BY_PROXIES.test(name));

/** True if this process has seen a proxy; a process that serves pages for another notifies that one. */
export const hasSeenProxy = (): boolean => holder[KEY] !== undefined;

/**
 * Records permanently that a request came through a proxy: in this process immediately, in the database for
 * other processes and the next start. A failed write is retried with the next such request.
 */
export async function noteProxy(service: Pick<Service, "db" | "log" | "clock">): Promise<void> {
  const seen = holder[KEY] ?? { isStored: false };
  holder[KEY] = seen;
  if (seen.isStored) return;
  seen.isStored = true;
  try {
    await storeServiceSetting(service.db.orm, PROXY_SEEN, service.clock.now().toISOString());
  } catch (error) {
    seen.isStored = false;
    service.log.warn({ err: error }, "could not record that a request came through a proxy");
  }
}

/**
 * Destination of mail. The outbox page is used only if the operator enables it, or in a sandbox on one
 * machine: its URL and listening address are local, and no process on its database ever saw a proxy. No
 * request can change that.
 */
export async function mailRoute(service: Pick<Service, "db">): Promise<MailRoute> {
  if (env.smtpUrl !== null) return "sent";
  if (env.isProduction || env.mailOutbox === "no") return "console";
  if (env.mailOutbox === "yes") return "outbox";
  if (!env.isOneMachine || env.trustedProxies > 0 || holder[KEY] !== undefined) return "console";
  return (await findServiceSetting(service.db.orm, PROXY_SEEN)) === null ? "outbox" : "console";
}

export type Mailer = {
  /** Throws if the server didn't accept it. */
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
      // The id stays the same when a mail is resent after a lost confirmation, so that mailboxes can
      // deduplicate it.
      const messageId = `<${mail.id}@cardlane>`;
      // An object, because a comma in a text would make it several recipients.
      const to = { name: "", address: addressForServers(mail.recipient) };
      const sender = mail.sender_name && {
        from: { name: `${mail.sender_name.replace(/\p{Cc}+/gu, " ")} via Cardlane`, address: addressIn(from) },
      };
      const replyTo = mail.reply_to && { replyTo: { name: "", address: addressForServers(mail.reply_to) } };
      await transport.sendMail({ ...sender, ...replyTo, to, subject: mail.subject, text: mail.body, messageId });
    },
    close: () => transport.close(),
  };
}

/** Extracts the address from `Cardlane <no-reply@example.com>` or a bare address. */
const addressIn = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;

/** Prints mail without a mail server for the operator at the console, as its links open accounts. */
export function consoleMailer(output: { write(text: string): unknown }): Mailer {
  return {
    async send({ recipient, subject, body }) {
      const lines = [`Mail to ${recipient}: ${subject}`, "", ...body.trim().split("\n")].map(printable);
      output.write(`\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n\n`);
    },
    close() {},
  };
}

/** Users choose parts of a mail, and terminals interpret control characters. */
const printable = (line: string) => line.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
