import { redirect } from "next/navigation";
import { NoPermission } from "@/components/ui/empty-state";
import { subscriptionsHref } from "@/lib/contract/subscriptions/list";
import { findCustomerOf } from "@/lib/domain/customers/customers";
import { getPaymentMethod } from "@/lib/domain/payment-methods/payment-methods";
import { dashboardPage, orNotFound } from "@/lib/http/page";

type PaymentMethodRouteProps = { params: Promise<{ mode: string; id: string }> };

/** A card on file is shown on its customer's page, which exists once the customer has paid. */
export default async function PaymentMethodRoute({ params }: PaymentMethodRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment_method.read")) return <NoPermission what="cards on file" />;
  const { customer_id } = await orNotFound(getPaymentMethod(page.ctx, { id }));
  const customer = await findCustomerOf(page.ctx, { customer_id, customer_email: null });
  redirect(
    customer === null ? subscriptionsHref(page.mode, { customer_id }) : `/${page.mode}/customers/${customer.id}#${id}`,
  );
}
