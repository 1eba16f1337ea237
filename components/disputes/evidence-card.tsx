"use client";

import { useDashboard } from "@/lib/client/dashboard-context";
import type { DisputeDetail } from "@/lib/contract/disputes/list";
import type { Mode } from "@/lib/contract/transactions/words";
import { EvidenceForm } from "./evidence-form";
import { EvidenceList } from "./evidence-list";

type EvidenceCardProps = { detail: Pick<DisputeDetail, "dispute" | "files" | "simulated">; mode: Mode | null };

/** The evidence: a form for those who may respond, and as text for everybody else. */
export const EvidenceCard = ({ detail, mode }: EvidenceCardProps) =>
  mode === null ? (
    <EvidenceList dispute={detail.dispute} files={detail.files} mode={null} reason={null} />
  ) : (
    <OwnEvidence detail={detail} mode={mode} />
  );

function OwnEvidence({ detail: { dispute, files, simulated }, mode }: EvidenceCardProps & { mode: Mode }) {
  const { can } = useDashboard();
  const isOpen = dispute.available_actions.includes("submit");
  if (isOpen && can("dispute.write"))
    return <EvidenceForm key={dispute.id} dispute={dispute} files={files} simulated={simulated} />;
  return <EvidenceList dispute={dispute} files={files} mode={mode} reason={reasonOf(dispute, isOpen)} />;
}

function reasonOf({ status, pending_action, dashboard_url }: DisputeDetail["dispute"], isOpen: boolean): string | null {
  if (isOpen) return "Your role can’t respond to disputes. An owner, an admin or someone in finance can.";
  if (pending_action !== null || status !== "NEEDS_RESPONSE") return null;
  return dashboard_url === null
    ? "This processor takes responses only in its own dashboard. Respond there before the deadline."
    : "This processor takes responses only on its own pages. “Respond at the processor” opens the dispute there.";
}
