import type { Audience } from "./audience";
import { authEndpoint } from "./audience";

/** Why a sign-in was refused. `unavailable`: it could not be tried; try again. */
export type SignInError = "wrong" | "locked" | "code_required" | "code_wrong" | "too_many" | "unavailable";

const ERRORS: readonly string[] = ["wrong", "locked", "code_required", "code_wrong", "too_many", "unavailable"];

export type SignInInput = { email: string; password: string; code?: string; audience?: Audience };

/** Signs in; the answer sets the cookie. Never throws. */
export async function signIn(input: SignInInput): Promise<{ ok: true } | { ok: false; error: SignInError }> {
  const endpoint = authEndpoint(input.audience ?? "merchant");
  try {
    const { csrfToken } = (await (await fetch(`${endpoint}/csrf`, { cache: "no-store" })).json()) as {
      csrfToken: string;
    };
    const { email, password, code = "" } = input;
    const response = await fetch(`${endpoint}/callback/credentials`, {
      method: "POST",
      body: new URLSearchParams({ csrfToken, email, password, code, json: "true" }),
    });
    const { url } = (await response.json()) as { url: string };
    const error = new URL(url, window.location.href).searchParams.get("error");
    if (response.ok && error === null) return { ok: true };
    return { ok: false, error: error !== null && ERRORS.includes(error) ? (error as SignInError) : "unavailable" };
  } catch {
    return { ok: false, error: "unavailable" };
  }
}
