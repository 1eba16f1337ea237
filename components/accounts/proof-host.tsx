"use client";

import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { onProofNeeded } from "@/lib/client/api";
import type { ProofKind } from "@/lib/contract/accounts/proof";

const ConfirmDialog = dynamic(() => import("./confirm-dialog").then((module) => module.ConfirmDialog));

type Question = { kind: ProofKind; answer: (proved: boolean) => void };

/** Where a call that takes a proof asks the person for it; then the call goes on. `path`: what takes the proof. */
export function ProofHost({ path }: { path: string }) {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => onProofNeeded((kind) => new Promise((answer) => setQuestion({ kind, answer }))), []);
  if (question === null) return null;
  return (
    <ConfirmDialog
      kind={question.kind}
      path={path}
      onEnd={(proved) => {
        setQuestion(null);
        question.answer(proved);
      }}
    />
  );
}
