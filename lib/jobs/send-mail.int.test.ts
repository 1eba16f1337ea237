import { createServer } from "node:net";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { leaveInOutbox, listMail } from "@/db/queries/accounts/mail-outbox";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { writeMail } from "@/lib/domain/accounts/mail";
import { openMailer } from "@/lib/mail/mail";
import { sendMail } from "./jobs";

const { db } = await testDatabase();
const service = testService(db);

/** A mail server that accepts every mail, or none. `received` has the mails with their headers. */
async function mailServer(takes: boolean): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    let data: string | null = null;
    socket.write("220 test\r\n");
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const text = chunk.toString();
      if (data !== null || /^DATA/i.test(text)) {
        if (data === null) socket.write("354 go on\r\n");
        data = (data ?? "") + text.replace(/^DATA\r\n/i, "");
        if (!data.endsWith("\r\n.\r\n")) return;
        received.push(data);
        data = null;
        socket.write("250 taken\r\n");
      } else if (/^RCPT/i.test(text)) socket.write(takes ? "250 ok\r\n" : "450 mailbox busy\r\n");
      else if (/^QUIT/i.test(text)) socket.end("221 bye\r\n");
      else socket.write("250 ok\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { url: `smtp://127.0.0.1:${port}`, received };
}

const open = (url: string) => {
  const mailer = openMailer(url, "Cardlane <no-reply@cardlane.example>");
  onTestFinished(() => mailer.close());
  return mailer;
};
const write = (recipient: string) =>
  db.orm.transaction((tx) => writeMail(tx, { recipient, subject: "Hello", paragraphs: ["A paragraph."] }));
const mailTo = async (recipient: string) => (await listMail(db.orm, 100)).find((mail) => mail.recipient === recipient);

test("mail is due from the moment at which it is written", async () => {
  // A time that is rounded up, as every other one, would be still to come.
  for (let n = 0; n < 20; n++)
    await db.orm.transaction(async (tx) => {
      const recipient = `${n}@due.example`;
      await writeMail(tx, { recipient, subject: "Hello", paragraphs: ["A paragraph."] });
      const [mail] = await tx.execute(
        sql`delete from mail_outbox where recipient = ${recipient} returning next_attempt_at <= now() as due`,
      );
      expect(mail).toEqual({ due: true });
    });
});

test("due mail is sent once, even by two instances", async () => {
  const { url, received } = await mailServer(true);
  await write("one@people.example");
  const sent = await Promise.all([sendMail(service, open(url)), sendMail(service, open(url))]);
  expect(sent.toSorted()).toEqual([0, 1]);
  expect(received).toHaveLength(1);
  expect(received[0]).toMatch(/^From: Cardlane <no-reply@cardlane\.example>\r$/m);
  expect(received[0]).toMatch(/^To: one@people\.example\r$/m);
  expect(received[0]).toContain("A paragraph.");
  const row = await mailTo("one@people.example");
  expect(row?.sent_at).not.toBeNull();
  expect(row?.body).toBe("");
  expect(await sendMail(service, open(url))).toBe(0);
});

test("mail is sent to domains in any script, and to local parts whose dots need quoting", async () => {
  const { url, received } = await mailServer(true);
  await write("ada@пример.рф");
  await write("foo..bar.@docomo.example");
  await write("a&b/c#d@people.example");
  expect(await sendMail(service, open(url))).toBe(3);
  const recipients = received.map((text) => /^To: (.*)\r$/m.exec(text)?.[1]);
  expect(recipients.toSorted((a = "", b = "") => (a < b ? -1 : 1))).toEqual([
    '"foo..bar."@docomo.example',
    "a&b/c#d@people.example",
    "ada@xn--e1afmkfd.xn--p1ai",
  ]);
});

test("a receipt has the merchant's name, our address and the merchant's Reply-To, and no name injects a header", async () => {
  const { url, received } = await mailServer(true);
  const mail = { recipient: "five@people.example", subject: "Receipt\r\nBcc: all@shop.example", paragraphs: ["Paid."] };
  const of = {
    kind: "receipt",
    senderName: 'Ärger, "Lamps"\r\nBcc: all@shop.example',
    replyTo: "help@shop.example",
  } as const;
  await db.orm.transaction((tx) => writeMail(tx, { ...mail, ...of }));
  expect(await sendMail(service, open(url))).toBe(1);
  const [text = ""] = received;
  expect(text).toMatch(/^From: [^<]*<no-reply@cardlane\.example>\r$/m);
  expect(text).toMatch(/^Reply-To: help@shop\.example\r$/m);
  expect(text).not.toMatch(/^Bcc:|=0D|=0A/im);
});

test("a refused mail is retried at growing intervals, and finally given up", async () => {
  const { url } = await mailServer(false);
  await write("two@people.example");
  /** The next attempt's time after the beginning and the end of each refused one, or null for none. */
  const pauses: ({ atMostMs: number; atLeastMs: number } | null)[] = [];
  for (let attempt = 1; attempt <= 12; attempt++) {
    const begun = Date.now();
    expect(await sendMail(service, open(url))).toBe(0);
    const ended = Date.now();
    const [row] = await db.sql`
      select last_error, extract(epoch from next_attempt_at)::float8 * 1000 as next,
        next_attempt_at < now() + interval '1 year' as waits
      from mail_outbox where recipient = 'two@people.example'`;
    expect(row?.last_error).toMatch(/mailbox busy/);
    pauses.push(row?.waits ? { atMostMs: row.next - begun, atLeastMs: row.next - ended } : null);
    if (row?.waits)
      await db.sql`update mail_outbox set next_attempt_at = now() - interval '1 second' where recipient = 'two@people.example'`;
  }
  for (const [index, seconds] of [30, 60, 120, 240].entries()) {
    // Both clocks are the machine's; a stored time is rounded to the millisecond, and one of JavaScript cut off.
    expect(pauses[index]?.atMostMs).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
    expect(pauses[index]?.atLeastMs).toBeLessThanOrEqual(seconds * 1_000 + 2);
  }
  expect(pauses.at(-1)).toBeNull();
  expect((await mailTo("two@people.example"))?.sent_at).toBeNull();
  // After the last attempt, the mail is no longer due.
  expect(await sendMail(service, open(url))).toBe(0);
});

test("a mail server's error is stored as a log would have it, in at most 500 characters", async () => {
  await write("four@people.example");
  const said = `No: 4242 4242 4242 4242 by sk_test_${"a1B2c3D4".repeat(4)} \u0000${"no ".repeat(100_000)}`;
  expect(await sendMail(service, { send: () => Promise.reject(new Error(said)), close: () => {} })).toBe(0);
  const reason = (await mailTo("four@people.example"))?.last_error ?? "";
  expect(reason).toMatch(/^No: \[card number\] by sk_test_\[redacted\] .no no no .*…$/);
  expect(reason).toHaveLength(500);
  await db.sql`delete from mail_outbox where recipient = 'four@people.example'`;
});

test("mail that the outbox page has shown is not sent after a mail server is set up, and stays readable", async () => {
  const { url, received } = await mailServer(true);
  await write("six@people.example");
  expect(await leaveInOutbox(db.orm, 20)).toBe(1);
  expect(await leaveInOutbox(db.orm, 20)).toBe(0);
  expect(await sendMail(service, open(url))).toBe(0);
  expect(received).toEqual([]);
  expect((await mailTo("six@people.example"))?.body).toContain("A paragraph.");
});

test("mail leased by a process that died is sent by the next one", async () => {
  const { url, received } = await mailServer(true);
  await write("three@people.example");
  await db.sql`update mail_outbox set attempts = 1, next_attempt_at = now() - interval '1 second'
    where recipient = 'three@people.example'`;
  expect(await sendMail(service, open(url))).toBe(1);
  expect(received).toHaveLength(1);
});
