import { NothingHere } from "@/components/shell/nothing-here";

export default function SubscriptionNotFound() {
  return <NothingHere what="subscription" list="subscriptions" listLabel="All subscriptions" />;
}
