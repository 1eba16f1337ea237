import { NoShop } from "@/components/demo/shop-page";

export default function NotFound() {
  return <NoShop />;
}
