import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import NextAuth, { type AuthOptions } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import { MAX_GIVEN_PASSWORD_LENGTH } from "@/lib/contract/accounts/fields";
import type { Audience, SignInError } from "@/lib/contract/accounts/sessions";
import { SESSION_HOURS } from "@/lib/contract/accounts/sessions";
import { isStorable } from "@/lib/contract/fields";
import { endSession } from "@/lib/domain/accounts/sessions";
import { type SignInResult, signIn, signInWithTicket } from "@/lib/domain/accounts/sign-in";
import type { Service } from "@/lib/domain/context";
import { cookieName, isSecure, readClaims, safePath, sessionCookieName } from "./session-cookie";

type RouteHandler = (request: Request, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>;

/**
 * next-auth's endpoints for one audience. Its cookie contains only the id of a row in user_sessions, which
 * every request looks up, so that a session can be ended from elsewhere. Throws when a sign-in could not be
 * checked, or a sign-out could not end the session.
 */
export function authHandler(service: Service, audience: Audience): RouteHandler {
  return async (request, context) => {
    const failure: Failure = { error: null };
    const callbackCookie = `cardlane.callback.${randomUUID()}`;
    const options = authOptions(service, audience, failure, callbackCookie);
    const response = (await NextAuth(request as never, context as never, options)) as Response;
    if (failure.error !== null) throw failure.error;
    return withoutCookie(response, callbackCookie);
  };
}

/**
 * next-auth keeps the callback URL in a cookie, and responds 500 to one that is not a URL. Our pages do
 * without it: the cookie has a random name, so that no browser sends it, and is removed from the response.
 */
function withoutCookie(response: Response, name: string): Response {
  const cookies = response.headers.getSetCookie().filter((cookie) => !cookie.startsWith(`${name}=`));
  response.headers.delete("set-cookie");
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/**
 * An internal error, for the handler to rethrow. next-auth would report it as a wrong password; at a sign-out
 * it would ignore it and delete the cookie of a session that is still active.
 */
type Failure = { error: unknown };

function authOptions(service: Service, audience: Audience, failure: Failure, callbackCookie: string): AuthOptions {
  const { baseUrl, secret } = service;
  const prefix = audience === "staff" ? "cardlane.staff" : "cardlane";
  const secure = isSecure(baseUrl);
  const options = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
  const signInPage = audience === "staff" ? "/support/sign-in" : "/sign-in";
  return {
    secret: secret.sessionKey,
    session: { strategy: "jwt", maxAge: SESSION_HOURS[audience] * 3600 },
    jwt: { decode: ({ token }) => readClaims(token, secret.sessionKeys) },
    pages: { signIn: signInPage, signOut: signInPage, error: signInPage },
    cookies: {
      sessionToken: { name: sessionCookieName(audience, baseUrl), options },
      csrfToken: { name: cookieName(`${prefix}.csrf`, baseUrl), options },
      callbackUrl: { name: callbackCookie, options },
    },
    providers: [
      Credentials({
        credentials: { email: {}, password: {}, code: {}, ticket: {} },
        authorize: (credentials, request) =>
          authorize({ service, audience, failure }, credentials ?? {}, request.headers ?? {}),
      }),
    ],
    callbacks: {
      // next-auth's default parses any text as a URL, and throws if it is not one.
      redirect: ({ url, baseUrl: own }) => own + safePath(url.startsWith(`${own}/`) ? url.slice(own.length) : url, "/"),
      jwt: ({ token, user }) => (user ? { session_id: (user as { sessionId?: string }).sessionId, audience } : token),
      // The cookie holds no user data, and neither does this response.
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      signOut: async ({ token }) => {
        if (typeof token?.session_id !== "string") return;
        await endSession(service, token.session_id).catch((error: unknown) => {
          failure.error = error;
        });
      },
    },
    logger: {
      error: (code, metadata) => service.log.warn({ code, metadata: String(metadata) }, "next-auth"),
      warn: () => {},
      debug: () => {},
    },
  };
}

type Entry = { readonly service: Service; readonly audience: Audience; readonly failure: Failure };
type SignInHeaders = Record<string, string | undefined>;

/**
 * Signs in and returns the user for next-auth, with the new session's id. A refusal is an Error with its code
 * as message.
 */
async function authorize(entry: Entry, credentials: Partial<Record<string, string>>, headers: SignInHeaders) {
  const address = headers["x-forwarded-for"]?.split(",").at(-1)?.trim() ?? "";
  const userAgent = headers["user-agent"] ?? null;
  const outcome = await attempt(entry, credentials, { address, userAgent });
  if (outcome.result !== "ok") throw new Error(outcome.result);
  return { id: outcome.user.id, sessionId: outcome.sessionId };
}

async function attempt(
  { service, audience, failure }: Entry,
  { email, password, code, ticket }: Partial<Record<string, string>>,
  from: { address: string; userAgent: string | null },
) {
  if (ticket && audience === "merchant")
    return keepFailure(failure, () => signInWithTicket(service, { ticket, ...from }));
  if (typeof email !== "string" || typeof password !== "string" || !canBelongToUser(email, password)) {
    throw refusal("wrong");
  }
  const work = signIn(service, { kind: audience, email, password, code: code || null, ...from });
  return keepFailure(failure, () => delayRefusal(work));
}

/**
 * Longer than the writes for an account take, so that the time of a refusal does not reveal if the account
 * exists.
 */
const MIN_REFUSAL_MS = 400;

async function delayRefusal(work: Promise<SignInResult>): Promise<SignInResult> {
  const minDelay = wait(MIN_REFUSAL_MS);
  const outcome = await work;
  if (outcome.result === "wrong" || outcome.result === "locked") await minDelay;
  return outcome;
}

async function keepFailure(failure: Failure, work: () => Promise<SignInResult>): Promise<SignInResult> {
  try {
    return await work();
  } catch (error) {
    failure.error = error;
    throw refusal("unavailable");
  }
}

/**
 * False for values that no user can have: hashing a long password is expensive, and the database rejects some
 * texts.
 */
const canBelongToUser = (email: string, password: string) =>
  email.length <= 254 && isStorable(email) && password.length <= MAX_GIVEN_PASSWORD_LENGTH;

const refusal = (code: SignInError) => new Error(code);
