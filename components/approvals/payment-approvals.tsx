"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Card } from "@/components/ui/card";
import { callApi, failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { ApprovalRequest } from "@/lib/contract/approvals/approvals";
import { APPROVAL_PERMISSIONS } from "@/lib/contract/approvals/words";
import { ApprovalActions, ApprovalFacts } from "./approval";
import { approvalTitle, RefundChanges } from "./approval-changes";

const REFRESH_MS = 15_000;

/** The requests to refund a payment: the open one in full, the others as a list. Nothing if there are none. */
export function PaymentApprovals({ paymentId }: { paymentId: string }) {
  const { mode, can } = useDashboard();
  const { data, error } = useQuery({
    queryKey: ["approvals", mode, paymentId],
    queryFn: async ({ signal }) => {
      const call = { params: { mode }, query: { subject: paymentId }, signal };
      return (await callApi("GET /api/dashboard/{mode}/approval-requests", call)).data.data;
    },
    staleTime: REFRESH_MS,
    // An open request may be decided by others while the page is open.
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === "PENDING") ? REFRESH_MS : false),
  });
  if (error && !data) {
    return (
      <Banner tone="amber" title="Requests for approval did not load">
        {failureText(error)}
      </Banner>
    );
  }
  if (!data || data.length === 0) return null;
  const open = data.find(({ status }) => status === "PENDING");
  return open ? (
    <OpenRequest request={open} />
  ) : (
    <Card title="Approvals" flush>
      <ul className="divide-y">
        {data.map((request) => (
          <li key={request.id} className="relative flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-[13px]">
            {can(APPROVAL_PERMISSIONS.REFUND) ? (
              <Link
                href={`/${mode}/approvals/${request.id}`}
                prefetch={false}
                className="after:absolute after:inset-0 focus-visible:outline-offset-0"
              >
                {approvalTitle(request)}
              </Link>
            ) : (
              approvalTitle(request)
            )}
            <StatusBadge status={request.status} />
            <span className="text-soft">
              Requested by {request.requested_by.name}
              {request.decided_by && `, ${request.status.toLowerCase()} by ${request.decided_by.name}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function OpenRequest({ request }: { request: ApprovalRequest }) {
  return (
    <Card title={`${approvalTitle(request)} waits for approval`}>
      <ApprovalFacts request={request} />
      {"amount" in request.parameters && <RefundChanges {...request.parameters} />}
      <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
        <ApprovalActions request={request} />
      </div>
    </Card>
  );
}
