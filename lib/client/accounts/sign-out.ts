import type { Audience } from "@/lib/contract/accounts/sessions";

/** Posts a form to an audience's auth endpoint, with a CSRF token fetched first. */
export async function postAuth(
  audience: Audience,
  path: "/callback/credentials" | "/signout",
  form: Record<string, string>,
): Promise<Response> {
  const endpoint = audience === "staff" ? "/api/support-auth" : "/api/auth";
  const { csrfToken } = (await (await fetch(`${endpoint}/csrf`, { cache: "no-store" })).json()) as {
    csrfToken: string;
  };
  return fetch(endpoint + path, {
    method: "POST",
    body: new URLSearchParams({ ...form, csrfToken, json: "true" }),
  });
}

/** Ends the session on the server, then opens the sign-in page. Throws if the server can't be reached. */
export async function signOut(audience: Audience = "merchant"): Promise<void> {
  const response = await postAuth(audience, "/signout", {});
  if (!response.ok) throw new Error(`sign-out answered ${response.status}`);
  window.location.assign(audience === "staff" ? "/support/sign-in" : "/sign-in");
}
