import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { CardForm } from "@/components/demo/card-form";
import { checkoutPath, isPlaced, readLook, readOrder, type Values } from "@/components/demo/order";
import { OrderSummary } from "@/components/demo/product";
import { TryBar } from "@/components/demo/try-bar";
import { findDemoShop, newOrderId } from "@/lib/http/demo";

export const metadata: Metadata = { title: "Checkout" };

export default async function CheckoutPage({ searchParams }: { searchParams: Promise<Values> }) {
  if (!findDemoShop()) notFound();
  const values = await searchParams;
  const order = readOrder(values);
  const look = readLook(values);
  if (!isPlaced(order)) redirect(checkoutPath({ ...order, id: newOrderId() }, look));
  return (
    <div className="pt-6 sm:pt-8">
      <h1 className="shop-display text-4xl">Checkout</h1>
      <div className="mt-5">
        <TryBar order={order} look={look} />
      </div>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem] lg:gap-10">
        <div className="lg:order-last">
          <OrderSummary order={order} />
        </div>
        <section aria-labelledby="pay" className="min-w-0 border bg-raised px-4 py-4 sm:px-6 sm:py-5">
          <h2 id="pay" className="mb-4 font-semibold text-lg tracking-tight">
            Pay by card
          </h2>
          <CardForm key={`${order.id} ${order.mode}`} order={order} look={look} />
        </section>
      </div>
    </div>
  );
}
