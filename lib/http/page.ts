import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { connection } from "next/server";
import { cache } from "react";
import { AppError } from "@/lib/contract/errors";
import { MAX_OFFSET } from "@/lib/contract/fields";
import type { UserPermission } from "@/lib/contract/permissions";
import { isMode, type Mode } from "@/lib/contract/transactions/words";
import { environmentOf, type SignedIn, type SignedInMerchant, type SignedInUser } from "@/lib/domain/accounts/sessions";
import { type Context, onReplicas, type Service } from "@/lib/domain/context";
import { env } from "@/lib/env";
import { newId } from "@/lib/ids";
import { userContext } from "./caller";
import { currentService } from "./current-service";
import { currentNodeClient } from "./node-client";
import { signedIn } from "./session-caller";

/** User and environment of a dashboard page. */
export type DashboardPage = {
  /** Calls of the domain as this user, in the environment of the page's mode. */
  readonly ctx: Context;
  readonly user: SignedInUser;
  readonly mode: Mode;
  readonly merchant: SignedInMerchant;
  can(permission: UserPermission): boolean;
};

type SupportPage = {
  readonly service: Service;
  readonly staff: SignedInUser;
  /** `id` is a UUID. */
  readonly request: { readonly id: string; readonly path: string };
};

/** The signed-in merchant's user, if any. Looked up once per request. */
export const signedInMerchant = cache(
  async (): Promise<SignedIn | null> => signedIn((await headers()).get("cookie"), "merchant"),
);

const signedInStaff = cache(async (): Promise<SignedIn | null> => signedIn((await headers()).get("cookie"), "staff"));

/**
 * The user and environment of a dashboard page. Without a session it redirects to the sign-in, and back
 * afterwards.
 */
export const dashboardPage = cache(async (mode: string): Promise<DashboardPage> => {
  if (!isMode(mode)) notFound();
  const found = await signedInMerchant();
  if (!found?.merchant) redirect(`/sign-in?next=${encodeURIComponent(await currentPath(`/${mode}`))}`);
  const { user, merchant } = found;
  const environment = environmentOf(merchant, mode);
  const ctx = onReplicas(
    userContext(currentService().service, {
      environment,
      actor: { type: "user", id: user.userId },
      request: { id: newId(), endpoint: "page", path: `/${mode}` },
    }),
  );
  return { ctx, user, mode, merchant, can: (permission) => user.permissions.has(permission) };
});

export type SearchParams = Record<string, string | string[] | undefined>;

/** The `offset` of a page's address; 0 if it is missing or invalid. */
export function offsetOf({ offset }: SearchParams): number {
  const given = typeof offset === "string" && /^\d{1,10}$/.test(offset) ? Number(offset) : 0;
  return given <= MAX_OFFSET ? given : 0;
}

/** The parameters of a page's address, as `URLSearchParams` would list them. */
export const addressParams = (searchParams: SearchParams): (readonly [name: string, value: string])[] =>
  Object.entries(searchParams).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text] as const));

/** The page's object; null if it does not exist or belongs to another merchant. */
export async function orNull<Found>(found: Promise<Found>): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") return null;
    throw error;
  }
}

/** The same for a page whose title does not depend on it: shows the not-found page. */
export async function orNotFound<Found>(found: Promise<Found>): Promise<Found> {
  return (await orNull(found)) ?? notFound();
}

/**
 * The member of the support staff a page is rendered for. Without a session it redirects to the staff's own
 * sign-in.
 */
export const supportPage = cache(async (): Promise<SupportPage> => {
  const found = await signedInStaff();
  const path = await currentPath("/support");
  if (!found) redirect(`/support/sign-in?next=${encodeURIComponent(path)}`);
  const { service } = currentService();
  return onReplicas({ service, staff: found.user, request: { id: newId(), path } });
});

/** The address in the browser, from proxy.ts: a page does not know its own. */
async function currentPath(fallback: string): Promise<string> {
  return (await headers()).get("x-cardlane-path") ?? fallback;
}

/** For pages of visitors: signed-in users are redirected to `path`. */
export async function signedOutPage(path: string): Promise<void> {
  if (await signedInMerchant()) redirect(path);
}

/**
 * The service's addresses as this running process knows them; a page that shows one is rendered on request.
 * `nodeClient` is a path.
 */
export async function publicUrls() {
  await connection();
  return {
    baseUrl: env.baseUrl,
    sandboxBaseUrl: env.sandboxBaseUrl,
    liveBaseUrl: env.liveBaseUrl,
    nodeClient: currentNodeClient(),
  };
}
