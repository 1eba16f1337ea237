/**
 * Name of the cookie with the role as which an owner views the dashboard. The page sets it, since it can only
 * take rights away: it is ignored for everybody but owners.
 */
export function roleViewCookie(userId: string, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}cardlane-role-view-${userId.slice(-8)}`;
}
