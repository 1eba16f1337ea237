import { notFound } from "next/navigation";
import type { Values } from "@/components/demo/order";
import { Product } from "@/components/demo/product";
import { findDemoShop } from "@/lib/http/demo";

export default async function ProductPage({ searchParams }: { searchParams: Promise<Values> }) {
  if (!findDemoShop()) notFound();
  return <Product values={await searchParams} />;
}
