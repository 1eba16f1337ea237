"use client";

import dynamic from "next/dynamic";
import { useEffect, useRef, useSyncExternalStore } from "react";
import {
  closeMoneyDialog,
  currentMoneyDialog,
  type MoneyDialogRequest,
  openMoneyDialog,
  subscribeToMoneyDialog,
} from "@/lib/client/money-dialogs";
import { type Unfinished, useUnfinished } from "./use-unfinished";

const DIALOGS = {
  refund: dynamic(() => import("./refund-dialog").then((module) => module.RefundDialog)),
  capture: dynamic(() => import("./capture-dialog").then((module) => module.CaptureDialog)),
  void: dynamic(() => import("./void-dialog").then((module) => module.VoidDialog)),
};
const BulkRefundDialog = dynamic(() => import("./bulk-refund-dialog").then((module) => module.BulkRefundDialog));
const UnfinishedMoney = dynamic(() => import("./unfinished-money").then((module) => module.UnfinishedMoney));

/** Where money dialogs live: one for the whole dashboard. Without one, what this tab has sent and not heard of again. */
export function MoneyHost() {
  const request = useSyncExternalStore(subscribeToMoneyDialog, currentMoneyDialog, () => null);
  const [unfinished, readNow] = useUnfinished();
  useOpenAfterReload(readNow);
  const isUnfinished = unfinished.records.length > 0 || unfinished.bulk !== null;
  return (
    <>
      {request === null && isUnfinished && <UnfinishedMoney unfinished={unfinished} />}
      {request && <OpenDialog request={request} />}
    </>
  );
}

function OpenDialog({ request }: { request: MoneyDialogRequest }) {
  if (request.kind === "bulk") {
    return <BulkRefundDialog selection={request.selection} onDone={request.onDone} onClose={closeMoneyDialog} />;
  }
  const ActionDialog = DIALOGS[request.action];
  return (
    <ActionDialog
      key={`${request.action} ${request.paymentId}`}
      paymentId={request.paymentId}
      onClose={closeMoneyDialog}
    />
  );
}

/** A reload in the middle comes back to where it was. Only then: later it is the person who opens. */
function useOpenAfterReload(readNow: () => Unfinished): void {
  const looked = useRef(false);
  useEffect(() => {
    if (looked.current) return;
    looked.current = true;
    if (currentMoneyDialog() !== null) return;
    const { records, bulk } = readNow();
    const [first] = records;
    if (bulk) openMoneyDialog({ kind: "bulk", selection: null, onDone: () => {} });
    else if (first) openMoneyDialog({ kind: "action", action: first.action, paymentId: first.paymentId });
  }, [readNow]);
}
