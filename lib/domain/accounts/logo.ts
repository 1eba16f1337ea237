import { createHash } from "node:crypto";
import { deleteLogo, findLogo, findLogoBytes, type LogoFacts, storeLogo } from "@/db/queries/accounts/logos";
import { lockMerchant } from "@/db/queries/accounts/merchants";
import { type LogoType, logoPath, MAX_LOGO_BYTES } from "@/lib/contract/accounts/logo";
import type { ShownLogo } from "@/lib/contract/checkout/appearance";
import type { Context, Service } from "../context";
import { accountActor, recordAccountAct } from "./activity";
import { readPicture } from "./picture";
import { refuseField } from "./reauthentication";

/** The logo of the business; null when it has none. */
export async function getLogo(ctx: Context): Promise<ShownLogo | null> {
  return presentLogo(await findLogo(ctx.service.db.orm, ctx.environment.merchantId));
}

const presentLogo = (logo: LogoFacts | null): ShownLogo | null =>
  logo && { src: logoPath(logo.sha256), width: logo.width, height: logo.height };

/** The logo in a row that includes the merchant's logo columns. */
export const logoInRow = (row: {
  logo_sha256: Buffer | null;
  logo_width: number | null;
  logo_height: number | null;
}): ShownLogo | null => {
  const { logo_sha256: sha256, logo_width: width, logo_height: height } = row;
  return sha256 && width && height ? presentLogo({ sha256, width, height }) : null;
};

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Replaces the logo. `image`: the file in base64; its type is read from its bytes. The same image again
 * changes nothing. Throws `invalid_parameter` on `image` for a file that we do not accept.
 */
export async function replaceLogo(ctx: Context, input: { image: string }): Promise<ShownLogo> {
  if (!BASE64.test(input.image) || input.image.length % 4 !== 0) throw refuseField("image", "Send the file in base64.");
  const given = Buffer.from(input.image, "base64");
  if (given.length > MAX_LOGO_BYTES) throw refuseField("image", "The file can be at most 256 kB.");
  const { type, width, height, bytes } = readPicture(given);
  const sha256 = createHash("sha256").update(bytes).digest();
  const { merchantId: merchant_id } = ctx.environment;
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockMerchant(tx, merchant_id);
    const before = await findLogo(tx, merchant_id);
    if (before?.sha256.equals(sha256)) return;
    await storeLogo(tx, { merchant_id, sha256, content_type: type, width, height, bytes });
    const changes = { logo: [formatSize(before), formatSize({ width, height })] };
    await recordAccountAct(tx, accountActor(ctx), "settings.logo_updated", merchant_id, { changes });
  });
  return { src: logoPath(sha256), width, height };
}

export async function removeLogo(ctx: Context): Promise<void> {
  const { merchantId } = ctx.environment;
  await ctx.service.db.orm.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = await findLogo(tx, merchantId);
    if (!(await deleteLogo(tx, merchantId))) return;
    const changes = { logo: [formatSize(before), null] };
    await recordAccountAct(tx, accountActor(ctx), "settings.logo_updated", merchantId, { changes });
  });
}

const formatSize = (logo: Pick<LogoFacts, "width" | "height"> | null) => logo && `${logo.width} × ${logo.height} px`;

/** The image at /logo/{digest}; null when no logo has this digest. */
export async function findLogoPicture(
  service: Pick<Service, "db">,
  digest: string,
): Promise<{ content_type: LogoType; bytes: Buffer } | null> {
  if (!/^[0-9a-f]{64}$/.test(digest)) return null;
  return findLogoBytes(service.db.orm, Buffer.from(digest, "hex"));
}
