"use client";

import { ChevronDown, Scale } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { usePress } from "@/components/ui/use-press";
import { callApi } from "@/lib/client/api";
import { DAYS_TO_COMPARE } from "@/lib/contract/processors/reconciliation";
import type { Mode } from "@/lib/contract/transactions/words";

type CompareNowProps = { mode: Mode; connectionId: string };

/** Requests a comparison of a range of days, which the page then lists. */
export function CompareNow({ mode, connectionId }: CompareNowProps) {
  const { press, pending } = usePress(async (days: (typeof DAYS_TO_COMPARE)[number]) => {
    const params = { mode, id: connectionId };
    await callApi("POST /api/dashboard/{mode}/processors/{id}/compare", { params, body: { days } });
    toast.success("Comparison requested");
  });

  return (
    <Menu>
      <MenuTrigger asChild>
        <Button icon={<Scale aria-hidden="true" />} pending={pending}>
          Compare now
          <ChevronDown aria-hidden="true" />
        </Button>
      </MenuTrigger>
      <MenuContent align="end" label="Compare now">
        {DAYS_TO_COMPARE.map((days) => (
          <MenuItem key={days} onSelect={() => press(days)}>
            The last {days} days
          </MenuItem>
        ))}
      </MenuContent>
    </Menu>
  );
}
