import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { connection } from "next/server";
import { cache } from "react";
import type { UserPermission } from "@/lib/contract/permissions";
import { isMode, type Mode } from "@/lib/contract/transactions/words";
import type { Person, SignedIn, SignedInMerchant } from "@/lib/domain/accounts/sessions";
import type { Context, Service } from "@/lib/domain/context";
import { env } from "@/lib/env";
import { newId } from "@/lib/ids";
import { personContext } from "./caller";
import { currentService } from "./current-service";
import { signedIn } from "./session-caller";

/** What a page of the dashboard is rendered for. */
export type DashboardPage = {
  /** Calls of the domain, as this person, in the environment of the page's mode. */
  readonly ctx: Context;
  readonly person: Person;
  readonly mode: Mode;
  readonly merchant: SignedInMerchant;
  can(permission: UserPermission): boolean;
};

type SupportPage = {
  readonly service: Service;
  readonly staff: Person;
  /** `id` is a UUID. */
  readonly request: { readonly id: string; readonly path: string };
};

/** Who is signed in as a merchant's person, if anybody. Asked once per request. */
export const signedInMerchant = cache(
  async (): Promise<SignedIn | null> => signedIn((await headers()).get("cookie"), "merchant"),
);

const signedInStaff = cache(async (): Promise<SignedIn | null> => signedIn((await headers()).get("cookie"), "staff"));

/** The person and environment of a dashboard page. Without a session it redirects to the sign-in, and back afterwards. */
export const dashboardPage = cache(async (mode: string): Promise<DashboardPage> => {
  if (!isMode(mode)) notFound();
  const found = await signedInMerchant();
  if (!found?.merchant) redirect(`/sign-in?next=${encodeURIComponent(await currentPath(`/${mode}`))}`);
  const { person, merchant } = found;
  const environment = { id: merchant.environments[mode], mode, merchantId: merchant.id };
  const ctx = personContext(currentService().service, {
    environment,
    actor: { type: "user", id: person.userId },
    request: { id: newId(), operation: "page", path: `/${mode}` },
  });
  return { ctx, person, mode, merchant, can: (permission) => person.permissions.has(permission) };
});

/** The member of the support staff a page is rendered for. Without a session it redirects to the staff's own sign-in. */
export const supportPage = cache(async (): Promise<SupportPage> => {
  const found = await signedInStaff();
  const path = await currentPath("/support");
  if (!found) redirect(`/support/sign-in?next=${encodeURIComponent(path)}`);
  return { service: currentService().service, staff: found.person, request: { id: newId(), path } };
});

/** Where the browser is, as proxy.ts left it: a page does not know its own address. */
async function currentPath(fallback: string): Promise<string> {
  return (await headers()).get("x-cardlane-path") ?? fallback;
}

/** For pages of people who are not signed in: whoever is goes on to `path`. */
export async function signedOutPage(path: string): Promise<void> {
  if (await signedInMerchant()) redirect(path);
}

/** The service's addresses as this running process knows them; a page that shows one is rendered on request. */
export async function publicUrls() {
  await connection();
  return { baseUrl: env.baseUrl, sandboxBaseUrl: env.sandboxBaseUrl, liveBaseUrl: env.liveBaseUrl };
}
