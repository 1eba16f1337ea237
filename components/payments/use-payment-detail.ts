"use client";

import { useQuery } from "@tanstack/react-query";
import { callApi } from "@/lib/client/api";
import type { PaymentDetail } from "@/lib/contract/dashboard/payment-detail";
import type { Mode } from "@/lib/contract/transaction-words";

const PENDING_MS = 3_000;
const SETTLED_MS = 5_000;

/** A payment with all that hangs on it, kept current while it is looked at: faster while something is under way. */
export function usePaymentDetail(paymentId: string, mode: Mode, initial?: PaymentDetail) {
  return useQuery({
    queryKey: ["payment", paymentId, mode],
    queryFn: async ({ signal }) =>
      (
        await callApi<PaymentDetail>({
          method: "GET",
          path: `/api/dashboard/${mode}/payments/${encodeURIComponent(paymentId)}`,
          signal,
        })
      ).data,
    ...(initial && { initialData: initial }),
    refetchInterval: ({ state }) => (state.data?.pending ? PENDING_MS : SETTLED_MS),
  });
}
