import { NoShop } from "@/components/demo/no-shop";

export default function NotFound() {
  return <NoShop />;
}
