import type { UserRole } from "@/lib/contract/roles";

export const ROLE_NAMES: Record<UserRole, string> = {
  owner: "Owner",
  operator: "Operator",
  viewer: "Viewer",
  staff: "Support",
};
