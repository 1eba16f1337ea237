"use client";

import dynamic from "next/dynamic";
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { missingPart } from "@/components/ui/missing-part";
import { useDashboard } from "@/lib/client/dashboard-context";
import { bulkStore, type Unfinished } from "@/lib/client/payments/bulk-record";
import { requestStore } from "@/lib/client/payments/keyed-request";
import {
  closeMoneyDialog,
  currentMoneyDialog,
  type MoneyDialogRequest,
  openMoneyDialog,
  subscribeToMoneyDialog,
} from "@/lib/client/payments/money-dialog";
import { recordStore } from "@/lib/client/payments/money-record";

const DIALOGS = {
  refund: dynamic(() => import("./action-dialogs").then((module) => module.RefundDialog, missingPart)),
  capture: dynamic(() => import("./action-dialogs").then((module) => module.CaptureDialog, missingPart)),
  void: dynamic(() => import("./action-dialogs").then((module) => module.VoidDialog, missingPart)),
};
const BulkRefundDialog = dynamic(() =>
  import("./bulk-refund-dialog").then((module) => module.BulkRefundDialog, missingPart),
);
const UnfinishedRequest = dynamic(() =>
  import("./unfinished-request").then((module) => module.UnfinishedRequest, missingPart),
);
const UnfinishedMoney = dynamic(() =>
  import("./unknown-outcome").then((module) => module.UnfinishedMoney, missingPart),
);

/**
 * Hosts the dashboard's one money dialog. While none is open it shows this tab's requests with an unknown
 * outcome.
 */
export function MoneyHost() {
  const request = useSyncExternalStore(subscribeToMoneyDialog, currentMoneyDialog, () => null);
  const [unfinished, readNow] = useUnfinished();
  useOpenAfterReload(readNow);
  const isUnfinished = unfinished.records.length + unfinished.requests.length > 0 || unfinished.bulk !== null;
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
  if (request.kind === "request") return <UnfinishedRequest record={request.record} onClose={closeMoneyDialog} />;
  const ActionDialog = DIALOGS[request.action];
  return (
    <ActionDialog
      key={`${request.action} ${request.paymentId}`}
      paymentId={request.paymentId}
      onClose={closeMoneyDialog}
    />
  );
}

/** Reopens the dialog after a reload, once; from then on only the user opens it. */
function useOpenAfterReload(readNow: () => Unfinished): void {
  const looked = useRef(false);
  useEffect(() => {
    if (looked.current) return;
    looked.current = true;
    if (currentMoneyDialog() !== null) return;
    const { records, requests, bulk } = readNow();
    const [first] = records;
    const [record] = requests;
    if (bulk) openMoneyDialog({ kind: "bulk", selection: null, onDone: () => {} });
    else if (first) openMoneyDialog({ kind: "action", action: first.action, paymentId: first.paymentId });
    else if (record) openMoneyDialog({ kind: "request", record });
  }, [readNow]);
}

const NOTHING = JSON.stringify({ records: [], requests: [], bulk: null });

/**
 * This tab's requests with an unknown outcome. Empty on the server and in the first render; `readNow` gives
 * effects the current value.
 */
function useUnfinished(): [unfinished: Unfinished, readNow: () => Unfinished] {
  const { mode, merchant } = useDashboard();
  const stores = useMemo(() => {
    if (typeof window === "undefined") return null;
    const owner = { mode, merchantId: merchant.id };
    const records = recordStore(window.localStorage, owner);
    const requests = requestStore(window.localStorage, owner);
    const bulk = bulkStore(window.sessionStorage, owner);
    return {
      read: () => JSON.stringify({ records: records.list(), requests: requests.listHidden(), bulk: bulk.find() }),
      subscribe(listener: () => void) {
        const ends = [records, requests, bulk].map((store) => store.subscribe(listener));
        return () => {
          for (const end of ends) end();
        };
      },
    };
  }, [mode, merchant.id]);
  const text = useSyncExternalStore(
    stores?.subscribe ?? (() => () => {}),
    stores?.read ?? (() => NOTHING),
    () => NOTHING,
  );
  const unfinished = useMemo(() => JSON.parse(text) as Unfinished, [text]);
  const readNow = useCallback(() => JSON.parse(stores?.read() ?? NOTHING) as Unfinished, [stores]);
  return [unfinished, readNow];
}
