import type { Metadata } from "next";
import { NoShop } from "@/components/demo/shop-page";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return <NoShop />;
}
