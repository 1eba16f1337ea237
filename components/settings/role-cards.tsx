import { RadioCards } from "@/components/ui/radio-cards";
import { MERCHANT_ROLES, type MerchantRole, ROLE_LABELS, ROLE_SENTENCES } from "@/lib/contract/roles";

type RoleCardsProps = { value: MerchantRole; onChange: (role: MerchantRole) => void };

export function RoleCards({ value, onChange }: RoleCardsProps) {
  return (
    <RadioCards
      legend="Role"
      options={MERCHANT_ROLES.map((role) => ({
        value: role,
        label: ROLE_LABELS[role],
        description: ROLE_SENTENCES[role],
      }))}
      value={value}
      onChange={onChange}
    />
  );
}
