import { NothingHere } from "@/components/shell/nothing-here";

export default function PayoutNotFound() {
  return <NothingHere what="payout" list="payouts" listLabel="All payouts" />;
}
