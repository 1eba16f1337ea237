import { cookies } from "next/headers";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import type { MailRow } from "@/db/queries/accounts/mail-outbox";
import { isSecure } from "@/lib/auth/session-cookie";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { listOutbox } from "@/lib/domain/accounts/mail";
import { mailRoute } from "@/lib/mail/mail";
import { currentService } from "./current-service";
import { isValidPass, OUTBOX_LIFE_SECONDS, signPass } from "./outbox-link";

const cookieName = (baseUrl: string) => `${isSecure(baseUrl) ? "__Host-" : ""}cardlane.outbox`;

/** Destination of mail, for the pages that send it. */
export async function mailRouteOfPage(): Promise<MailRoute> {
  await connection();
  return mailRoute(currentService().service);
}

/** The mail, or null for a browser that did not come through the link. Throws not-found without an outbox. */
export async function outboxPage(): Promise<MailRow[] | null> {
  const sent = await cookies();
  const { service } = currentService();
  if ((await mailRoute(service)) !== "outbox") notFound();
  const cookie = sent.get(cookieName(service.baseUrl))?.value;
  return isValidPass(service, "cookie", cookie) ? listOutbox(service) : null;
}

/**
 * GET /outbox/open?key=…: the printed link. Redirects to the outbox, which explains what to do without a
 * cookie.
 */
export async function openOutbox(request: Request): Promise<Response> {
  const { service } = currentService();
  const headers = new Headers({ Location: "/outbox", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" });
  const isOpen =
    (await mailRoute(service)) === "outbox" &&
    isValidPass(service, "link", new URL(request.url).searchParams.get("key"));
  if (isOpen) {
    const secure = isSecure(service.baseUrl) ? "; Secure" : "";
    const value = `${cookieName(service.baseUrl)}=${signPass(service, "cookie")}`;
    headers.set("Set-Cookie", `${value}; Path=/; Max-Age=${OUTBOX_LIFE_SECONDS}; HttpOnly; SameSite=Lax${secure}`);
  }
  return new Response(null, { status: 303, headers });
}
