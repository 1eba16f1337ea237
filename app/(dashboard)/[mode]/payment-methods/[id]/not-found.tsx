import { NothingHere } from "@/components/shell/nothing-here";

export default function PaymentMethodNotFound() {
  return <NothingHere what="card on file" list="customers" listLabel="All customers" />;
}
