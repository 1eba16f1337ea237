/** Ends the session on the server, then leaves for the sign-in page. Throws when the server could not be reached. */
export async function signOut(audience: Audience = "merchant"): Promise<void> {
  const endpoint = authEndpoint(audience);
  const { csrfToken } = (await (await fetch(`${endpoint}/csrf`, { cache: "no-store" })).json()) as {
    csrfToken: string;
  };
  const response = await fetch(`${endpoint}/signout`, {
    method: "POST",
    body: new URLSearchParams({ csrfToken, json: "true" }),
  });
  if (!response.ok) throw new Error(`sign-out answered ${response.status}`);
  window.location.assign(audience === "staff" ? "/support/sign-in" : "/sign-in");
}

/** Merchants' people and support staff sign in apart, each with a cookie of their own. */
export type Audience = "merchant" | "staff";

export const authEndpoint = (audience: Audience): string => (audience === "staff" ? "/api/support-auth" : "/api/auth");
