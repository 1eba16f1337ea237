import { decodeId } from "@/lib/contract/ids";
import type { Service } from "@/lib/domain/context";
import type { StaffCall } from "@/lib/domain/support/staff";
import { createStaff, type NewStaff } from "@/lib/domain/support/staff";
import { newId } from "@/lib/ids";

/** A member of the support staff that no other test knows. */
export async function createTestStaff(service: Service): Promise<NewStaff & { userId: string }> {
  const staff = await createStaff(service, { email: `${newId()}@cardlane.test`, name: "Test staff" });
  return { ...staff, userId: decodeId("user", staff.staff_id) as string };
}

/** A way to make calls as one member of the staff. */
export async function staffCaller(service: Service): Promise<() => StaffCall> {
  const { userId } = await createTestStaff(service);
  return () => ({ service, staff: { userId }, request: { id: newId(), path: "/support" } });
}
