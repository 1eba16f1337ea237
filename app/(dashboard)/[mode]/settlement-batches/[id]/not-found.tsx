import { NothingHere } from "@/components/shell/not-found-actions";

export default function BatchNotFound() {
  return <NothingHere what="settlement batch" list="settlement-batches" listLabel="All settlement batches" />;
}
