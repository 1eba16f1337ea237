import type { Appearance, ShownLogo } from "./appearance";

/** A business as its customers see it, on pages that show what they have bought. */
export type Shop = {
  merchant_name: string;
  support_email: string | null;
  /** Postal address, with line breaks. */
  business_address: string | null;
  tax_number: string | null;
  website: string | null;
  logo: ShownLogo | null;
  appearance: Appearance | null;
  environment: "sandbox" | "live";
};
