/** Where mail goes: to a mail server, into the outbox page, or to the console of the process, for there is neither. */
export type MailRoute = "sent" | "outbox" | "console";
