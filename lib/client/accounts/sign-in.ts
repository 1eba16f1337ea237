import { SIGN_IN_ERRORS, type SignInError } from "@/lib/contract/accounts/proof";
import { type Audience, authEndpoint } from "./sign-out";

/** `ticket`: what the answer to a sign-up gave, in place of address and password. */
type SignInInput = { audience?: Audience } & ({ email: string; password: string; code?: string } | { ticket: string });

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
    return { ok: false, error: SIGN_IN_ERRORS.find((known) => known === error) ?? "unavailable" };
  } catch {
    return { ok: false, error: "unavailable" };
  }
}
