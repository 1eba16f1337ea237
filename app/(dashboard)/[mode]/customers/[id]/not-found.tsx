import { NothingHere } from "@/components/shell/not-found-actions";

export default function CustomerNotFound() {
  return <NothingHere what="customer" list="customers" listLabel="All customers" />;
}
