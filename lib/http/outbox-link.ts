import type { Service } from "@/lib/domain/context";

/**
 * The outbox page shows mail that no server sends, with links that open accounts. A proxy that adds no header
 * looks like a local browser, so the page needs the link that was printed at start-up.
 */
export const OUTBOX_LIFE_SECONDS = 7 * 86_400;

type Purpose = "link" | "cookie";
type Signing = Pick<Service, "secret" | "clock">;

/**
 * Signed by the service's secret, so that every process accepts it. The link and the cookie that it sets have
 * different ones.
 */
export function signPass({ secret, clock }: Signing, purpose: Purpose): string {
  const until = (Math.floor(clock.now().getTime() / 1000) + OUTBOX_LIFE_SECONDS).toString(36);
  return `${until}.${secret.mac(`outbox-${purpose}`, until)}`;
}

export function isValidPass({ secret, clock }: Signing, purpose: Purpose, given: string | null | undefined): boolean {
  const [, until = "", mac = ""] = /^([0-9a-z]{1,8})\.([\w.-]{1,100})$/.exec(given ?? "") ?? [];
  return secret.isMac(`outbox-${purpose}`, until, mac) && Number.parseInt(until, 36) * 1000 > clock.now().getTime();
}

/** The link to the outbox, for the operator at the console only. It works for a week. */
export const outboxLink = (service: Signing & Pick<Service, "baseUrl">): string =>
  `${service.baseUrl}/outbox/open?key=${signPass(service, "link")}`;
