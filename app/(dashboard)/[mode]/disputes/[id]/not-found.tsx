import { NothingHere } from "@/components/shell/nothing-here";

export default function DisputeNotFound() {
  return <NothingHere what="dispute" list="disputes" listLabel="All disputes" />;
}
