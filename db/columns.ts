import { bigint, customType, uuid } from "drizzle-orm/pg-core";
import { isoFromPostgres } from "./client";

/** timestamptz(3), to the millisecond; rows hold an ISO 8601 string in UTC, the API's format. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => "timestamp (3) with time zone",
  fromDriver: isoFromPostgres,
});

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** A transaction id, never reused; text, because it may exceed 2^53. */
export const xid8 = customType<{ data: string; driverData: string }>({ dataType: () => "xid8" });

/** Money in minor units, and its counters. */
export const money = (name: string) => bigint(name, { mode: "number" });

/**
 * The tenant key: first column of every primary key, unique constraint and foreign key of a merchant's data.
 */
export const environmentId = () => uuid("environment_id").notNull();

/** Values of each domain, as the tables below use it; a test compares them with the database's. */
export const DOMAINS = new Map<string, readonly string[]>();

/**
 * A column with one of the contract's values, as a PostgreSQL domain. A table CHECK would be parsed again in
 * every statement that writes, and text lists are slow to parse; a domain's check is cached.
 */
export function oneOf<const Value extends string>(domain: string, values: readonly Value[]) {
  DOMAINS.set(domain, values);
  return customType<{ data: Value; driverData: string }>({ dataType: () => domain });
}
