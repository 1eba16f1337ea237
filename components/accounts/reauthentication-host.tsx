"use client";

import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { missingPart } from "@/components/ui/missing-part";
import { onReauthenticationNeeded } from "@/lib/client/api";
import type { ReauthenticationKind } from "@/lib/contract/accounts/sessions";

const ConfirmDialog = dynamic(() => import("./confirm-dialog").then((module) => module.ConfirmDialog, missingPart));

type Question = { kind: ReauthenticationKind; answer: (reauthenticated: boolean) => void };

/** Hosts the re-authentication dialog for API calls that require it. */
export function ReauthenticationHost({ staff = false }: { staff?: boolean }) {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => onReauthenticationNeeded((kind) => new Promise((answer) => setQuestion({ kind, answer }))), []);
  if (question === null) return null;
  return (
    <ConfirmDialog
      kind={question.kind}
      staff={staff}
      onEnd={(reauthenticated) => {
        setQuestion(null);
        question.answer(reauthenticated);
      }}
    />
  );
}
