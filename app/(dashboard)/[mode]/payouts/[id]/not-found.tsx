import { NothingHere } from "@/components/shell/not-found-actions";

export default function PayoutNotFound() {
  return <NothingHere what="payout" list="payouts" listLabel="All payouts" />;
}
