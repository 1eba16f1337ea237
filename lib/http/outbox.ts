import { headers } from "next/headers";
import { notFound } from "next/navigation";
import type { MailRoute } from "@/lib/contract/mail-route";
import { listOutbox } from "@/lib/domain/people/list-outbox";
import { env } from "@/lib/env";
import { currentService } from "./current-service";
import { isLoopbackAddress, isLoopbackHost } from "./loopback";
import { addressOf, PROXIED_HEADER } from "./request-parts";

/**
 * Whether this request may see the outbox, where mail can be read that nobody sends: its links open any account. So only
 * when no mail server is set up, the service is one machine's own, and the browser runs on that machine.
 */
async function hasOutbox(): Promise<boolean> {
  if (env.smtpUrl !== null || !isLoopbackHost(new URL(env.baseUrl).host)) return false;
  const sent = await headers();
  // A proxy on this machine passes on what others send, and a page may have pointed its own name at 127.0.0.1.
  if (sent.get(PROXIED_HEADER) !== null) return false;
  return isLoopbackHost(sent.get("host")) && isLoopbackAddress(addressOf(sent, { ip: null }));
}

/** Where mail goes, as the pages that cause some tell it. */
export async function mailRoute(): Promise<MailRoute> {
  if (env.smtpUrl !== null) return "sent";
  return (await hasOutbox()) ? "outbox" : "nowhere";
}

export async function outboxPage() {
  if (!(await hasOutbox())) notFound();
  return listOutbox(currentService().service);
}
