import { findShopRow, type ShopRow } from "@/db/queries/checkout/shops";
import { clockSettingOf } from "@/db/queries/clock";
import type { Shop } from "@/lib/contract/checkout/shop";
import { API_ENVIRONMENTS } from "@/lib/contract/transactions/words";
import { logoInRow } from "../accounts/logo";
import type { Environment, Service } from "../context";

/** A merchant's environment as its customers' pages need it. */
export type OpenShop = {
  readonly environment: Environment;
  readonly shop: Shop;
  /** It takes no money. */
  readonly suspended: boolean;
  readonly verified: boolean;
};

/** Null without such an environment. */
export async function findShop({ db }: Pick<Service, "db">, environmentId: string): Promise<OpenShop | null> {
  const row = await findShopRow(db.sql, environmentId);
  return row && presentShop(row);
}

function presentShop(row: ShopRow): OpenShop {
  const { environment_id: id, mode, merchant_id: merchantId, suspended, verified } = row;
  return {
    environment: { id, mode, merchantId, clock: clockSettingOf(row) },
    suspended,
    verified,
    shop: {
      merchant_name: row.merchant_name,
      support_email: row.support_email,
      business_address: row.business_address,
      tax_number: row.tax_number,
      website: row.website,
      logo: logoInRow(row),
      appearance: row.checkout_appearance,
      environment: API_ENVIRONMENTS[mode],
    },
  };
}
