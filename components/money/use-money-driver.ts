"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";
import { MoneyDriver, type MoneySnapshot } from "@/lib/client/money-action";
import { browserMoneyPorts } from "@/lib/client/money-ports";
import type { MoneyAction } from "@/lib/client/money-record";

/** A driver for as long as the dialog is open: fresh amounts when it opens and whenever its tab comes back. */
export function useMoneyDriver(action: MoneyAction, paymentId: string): [MoneyDriver, MoneySnapshot] {
  const { mode, merchant } = useDashboard();
  const queries = useQueryClient();
  const [driver] = useState(() => {
    const moved = () => {
      void queries.invalidateQueries({ queryKey: ["transactions"] });
      void queries.invalidateQueries({ queryKey: ["payment", paymentId] });
    };
    return new MoneyDriver(action, paymentId, browserMoneyPorts({ mode, merchantId: merchant.id }, paymentId, moved));
  });
  const snapshot = useSyncExternalStore(driver.subscribe, driver.getSnapshot, driver.getSnapshot);

  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === "visible") void driver.refresh();
    };
    void driver.open();
    window.addEventListener("focus", refresh);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      window.removeEventListener("focus", refresh);
      document.removeEventListener("visibilitychange", refresh);
      driver.close();
    };
  }, [driver]);
  return [driver, snapshot];
}
