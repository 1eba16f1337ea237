import type { Audience } from "./audience";
import { authEndpoint } from "./audience";

/** Why a sign-in was refused. `unavailable`: it could not be tried; try again. */
export type SignInError =
  | "wrong"
  | "locked"
  | "code_required"
  | "code_wrong"
  | "codes_locked"
  | "too_many"
  | "unavailable";

const ERRORS: readonly string[] = [
  "wrong",
  "locked",
  "code_required",
  "code_wrong",
  "codes_locked",
  "too_many",
  "unavailable",
];

/** `ticket`: what the answer to a sign-up gave, in place of address and password. */
export type SignInInput = { audience?: Audience } & (
  | { email: string; password: string; code?: string }
  | { ticket: string }
);

/** Signs in; the answer sets the cookie. Never throws. */
export async function signIn(input: SignInInput): Promise<{ ok: true } | { ok: false; error: SignInError }> {
  const endpoint = authEndpoint(input.audience ?? "merchant");
  try {
    const { csrfToken } = (await (await fetch(`${endpoint}/csrf`, { cache: "no-store" })).json()) as {
      csrfToken: string;
    };
    const { audience: _audience, ...credentials } = input;
    const response = await fetch(`${endpoint}/callback/credentials`, {
      method: "POST",
      body: new URLSearchParams({ ...credentials, csrfToken, json: "true" }),
    });
    const { url } = (await response.json()) as { url: string };
    const error = new URL(url, window.location.href).searchParams.get("error");
    if (response.ok && error === null) return { ok: true };
    return { ok: false, error: error !== null && ERRORS.includes(error) ? (error as SignInError) : "unavailable" };
  } catch {
    return { ok: false, error: "unavailable" };
  }
}
