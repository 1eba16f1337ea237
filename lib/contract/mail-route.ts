/** Where mail goes: to a mail server, into the outbox page of one's own machine, or nowhere, for neither is there. */
export type MailRoute = "sent" | "outbox" | "nowhere";
