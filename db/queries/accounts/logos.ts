import { eq, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { type LogoRow, merchantLogos } from "@/db/schema/accounts";

export type LogoFacts = Pick<LogoRow, "sha256" | "width" | "height">;

/** By primary key; without the image. */
export async function findLogo(orm: Orm, merchantId: string): Promise<LogoFacts | null> {
  const { sha256, width, height } = merchantLogos;
  const rows = await orm
    .select({ sha256, width, height })
    .from(merchantLogos)
    .where(eq(merchantLogos.merchant_id, merchantId));
  return rows[0] ?? null;
}

/** An image by its digest, of any merchant. Index: merchant_logos_sha256. */
export async function findLogoBytes(orm: Orm, sha256: Buffer): Promise<Pick<LogoRow, "content_type" | "bytes"> | null> {
  const { content_type, bytes } = merchantLogos;
  const rows = await orm
    .select({ content_type, bytes })
    .from(merchantLogos)
    .where(eq(merchantLogos.sha256, sha256))
    .limit(1);
  return rows[0] ?? null;
}

export async function storeLogo(tx: Orm, logo: Omit<LogoRow, "created_at">): Promise<void> {
  const { merchant_id: _merchant, ...picture } = logo;
  await tx
    .insert(merchantLogos)
    .values(logo)
    .onConflictDoUpdate({ target: merchantLogos.merchant_id, set: { ...picture, created_at: sql`now()` } });
}

/** Returns whether there was one. */
export async function deleteLogo(tx: Orm, merchantId: string): Promise<boolean> {
  const rows = await tx
    .delete(merchantLogos)
    .where(eq(merchantLogos.merchant_id, merchantId))
    .returning({ id: merchantLogos.merchant_id });
  return rows.length > 0;
}
