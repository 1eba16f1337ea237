import { NothingHere } from "@/components/shell/nothing-here";

export default function BatchNotFound() {
  return <NothingHere what="settlement batch" list="settlement-batches" listLabel="All settlement batches" />;
}
