import { findEnvironmentById } from "@/db/queries/merchants";
import type { Environment, Service } from "@/lib/domain/context";

/** Any merchant's environment, for support staff; null when there is none. `id` is a UUID. */
export async function findEnvironmentForStaff(service: Pick<Service, "db">, id: string): Promise<Environment | null> {
  return findEnvironmentById(service.db.orm, id);
}
