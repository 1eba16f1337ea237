import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, bigint, customType, uuid } from "drizzle-orm/pg-core";
import { isoFromPostgres } from "./client";

/** timestamptz(3): a moment to the millisecond; in rows an ISO 8601 string in UTC, as the API writes it. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => "timestamp (3) with time zone",
  fromDriver: isoFromPostgres,
});

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** Money in minor units, and its counters. */
export const money = (name: string) => bigint(name, { mode: "number" });

/** The tenant key: first column of every primary key, unique constraint and foreign key of a merchant's data. */
export const environmentId = () => uuid("environment_id").notNull();

/** CHECK that a text column holds one of the contract's values. */
export const oneOf = (column: AnyPgColumn, values: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(", "))})`;

/**
 * CHECK that a row was created in the millisecond of its UUIDv7. So ordering by id is ordering by creation, and one index
 * on (…, id) serves sorting, paging and date filters alike.
 */
export const createdWithId = (id: AnyPgColumn, createdAt: AnyPgColumn): SQL =>
  sql`(extract(epoch from ${createdAt}) * 1000)::bigint = ('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint`;
