import { NothingHere } from "@/components/shell/nothing-here";

export default function CustomerNotFound() {
  return <NothingHere what="customer" list="customers" listLabel="All customers" />;
}
