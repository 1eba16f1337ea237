import type { Sql } from "@/db/client";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { Mode } from "@/lib/contract/transactions/words";
import type { ClockColumns } from "../clock";

/** An environment, with everything that customers see of its merchant. */
export type ShopRow = {
  readonly environment_id: string;
  readonly mode: Mode;
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly suspended: boolean;
  /** A user of the merchant has verified an e-mail address. */
  readonly verified: boolean;
  readonly support_email: string | null;
  readonly business_address: string | null;
  readonly tax_number: string | null;
  readonly website: string | null;
  readonly checkout_appearance: Appearance | null;
  readonly logo_sha256: Buffer | null;
  readonly logo_width: number | null;
  readonly logo_height: number | null;
} & ClockColumns;

/** Null without such an environment. Indexes: primary keys. */
export async function findShopRow(sql: Sql, environmentId: string): Promise<ShopRow | null> {
  const [row] = await sql<ShopRow[]>`
    select e.id as environment_id, e.mode, e.merchant_id, e.clock_offset_ms, e.clock_frozen_at, e.checkout_appearance,
      m.name as merchant_name, m.support_email, m.website, m.business_address, m.tax_number, m.suspended_at is not null as suspended,
      exists (select from users u where u.merchant_id = m.id and u.owns_email) as verified,
      l.sha256 as logo_sha256, l.width as logo_width, l.height as logo_height
    from environments e
    join merchants m on m.id = e.merchant_id
    left join merchant_logos l on l.merchant_id = m.id
    where e.id = ${environmentId}::uuid`;
  return row ?? null;
}
