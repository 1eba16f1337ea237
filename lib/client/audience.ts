/** Merchants' people and support staff sign in apart, each with a cookie of their own. */
export type Audience = "merchant" | "staff";

export const authEndpoint = (audience: Audience): string => (audience === "staff" ? "/api/support-auth" : "/api/auth");
