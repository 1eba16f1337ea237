import { listMail, type MailRow } from "@/db/queries/mail-outbox";
import type { Service } from "../context";

/** The latest mail of everybody. Only for the page that stands in for a mail server on one's own machine. */
export function listOutbox(service: Pick<Service, "db">): Promise<MailRow[]> {
  return listMail(service.db.orm, 100);
}
