import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ShopPage } from "@/components/demo/shop-page";
import { findDemoShop } from "@/lib/http/demo";
import "@/components/demo/shop.css";

export const metadata: Metadata = {
  title: { default: "Sample shop", template: "%s · Sample shop" },
  description: "A small shop that takes card payments with Cardlane’s form: buy a print with a test card.",
  robots: { index: false },
};
// Only the running service knows if the demo shop exists.
export const dynamic = "force-dynamic";

export default function ShopLayout({ children }: { children: ReactNode }) {
  return <ShopPage isOpen={findDemoShop() !== null}>{children}</ShopPage>;
}
