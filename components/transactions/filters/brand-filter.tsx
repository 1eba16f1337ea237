"use client";

import { Checkbox } from "@/components/ui/checkbox";
import { brandLabel } from "@/lib/client/transaction-labels";
import { CARD_BRANDS } from "@/lib/contract/transaction-words";
import type { FilterProps } from "./filter-props";

export function BrandFilter({ filters, onChange }: FilterProps) {
  const { brands } = filters;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Card brand</legend>
      {CARD_BRANDS.map((brand) => (
        <Checkbox
          key={brand}
          label={brandLabel(brand)}
          checked={brands.includes(brand)}
          onChange={(event) =>
            onChange({
              brands: CARD_BRANDS.filter((other) => (other === brand ? event.target.checked : brands.includes(other))),
            })
          }
        />
      ))}
    </fieldset>
  );
}
