import Link from "next/link";
import { Facts } from "@/components/ui/facts";
import type { ShownPayment } from "@/lib/contract/dashboard/payment-detail";

const searchFor = (text: string) => (
  <Link href={`/support?q=${encodeURIComponent(text)}`} prefetch={false} className="text-accent hover:underline">
    {text}
  </Link>
);

/** Who paid; address and id lead to a search in all merchants' data. */
export function PaymentCustomer({ payment }: { payment: ShownPayment }) {
  const { customer_id: id, customer_email: email, customer_name: name, billing_address: address } = payment;
  if (!id && !email && !name && !address) return <p className="text-soft">The payment names no customer.</p>;
  return (
    <Facts
      items={[
        { term: "Name", value: name },
        { term: "E-mail", value: email && searchFor(email) },
        { term: "Merchant's own id", value: id && searchFor(id) },
        {
          term: "Billing address",
          value:
            address &&
            [address.line1, address.line2, address.postal_code, address.city, address.state, address.country]
              .filter(Boolean)
              .join(", "),
        },
      ]}
    />
  );
}
