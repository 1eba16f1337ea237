import { findTokenHolder, type TokenHolder } from "@/db/queries/user-tokens";
import { sha256 } from "@/lib/secret";
import type { Service } from "../context";

/** Whom a mailed link is for; null when it is unknown, used or out of time. Does not use it up: mail scanners open links. */
export function findLink(service: Pick<Service, "db">, token: string): Promise<TokenHolder | null> {
  return findTokenHolder(service.db.orm, sha256(token));
}
