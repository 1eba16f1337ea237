"use client";

import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { missingPart } from "@/components/ui/missing-part";
import { onProofNeeded } from "@/lib/client/api";
import type { ProofKind } from "@/lib/contract/accounts/proof";

const ConfirmDialog = dynamic(() => import("./confirm-dialog").then((module) => module.ConfirmDialog, missingPart));

type Question = { kind: ProofKind; answer: (proved: boolean) => void };

/** Hosts the re-authentication dialog for API calls that require it. */
export function ProofHost({ staff = false }: { staff?: boolean }) {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => onProofNeeded((kind) => new Promise((answer) => setQuestion({ kind, answer }))), []);
  if (question === null) return null;
  return (
    <ConfirmDialog
      kind={question.kind}
      staff={staff}
      onEnd={(proved) => {
        setQuestion(null);
        question.answer(proved);
      }}
    />
  );
}
