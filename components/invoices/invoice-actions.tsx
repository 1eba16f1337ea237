"use client";

import { Ban, CircleX, Copy, CreditCard, MoreHorizontal } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/components/ui/menu";
import { missingPart } from "@/components/ui/missing-part";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { InvoiceAction, InvoiceDetail } from "@/lib/contract/invoices/invoice-detail";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";

const DIALOGS = {
  pay: dynamic(() => import("./invoice-dialogs").then((module) => module.PayDialog, missingPart)),
  void: dynamic(() => import("./invoice-dialogs").then((module) => module.VoidDialog, missingPart)),
  "mark-uncollectible": dynamic(() =>
    import("./invoice-dialogs").then((module) => module.UncollectibleDialog, missingPart),
  ),
};

type InvoiceActionsProps = { detail: InvoiceDetail; cards: readonly PaymentMethod[] };

export function InvoiceActions({ detail, cards }: InvoiceActionsProps) {
  const { can } = useDashboard();
  const [open, setOpen] = useState<InvoiceAction | null>(null);
  const { hosted_url: link } = detail.invoice;
  const actions = can("invoice.write") ? detail.available_actions : [];
  const others = actions.filter((action) => action !== "pay");
  const Dialog = open && DIALOGS[open];

  async function copyLink() {
    if (link === null) return;
    try {
      await navigator.clipboard.writeText(link);
      toast.success("Customer’s link copied");
    } catch {
      toast.error("Your browser didn’t allow copying.", { description: link });
    }
  }

  return (
    <>
      {actions.includes("pay") && (
        <Button variant="primary" icon={<CreditCard aria-hidden="true" />} onClick={() => setOpen("pay")}>
          Charge now
        </Button>
      )}
      {(others.length > 0 || link !== null) && (
        <Menu>
          <MenuTrigger asChild>
            <Button className="button-icon" aria-label="More actions">
              <MoreHorizontal aria-hidden="true" />
            </Button>
          </MenuTrigger>
          <MenuContent align="end" label="More actions">
            {link !== null && (
              <MenuItem onSelect={() => void copyLink()}>
                <Copy aria-hidden="true" /> Copy the customer’s link
              </MenuItem>
            )}
            {others.includes("mark-uncollectible") && (
              <MenuItem onSelect={() => setOpen("mark-uncollectible")}>
                <CircleX aria-hidden="true" /> Mark as uncollectible…
              </MenuItem>
            )}
            {others.includes("void") && (
              <MenuItem danger onSelect={() => setOpen("void")}>
                <Ban aria-hidden="true" /> Void…
              </MenuItem>
            )}
          </MenuContent>
        </Menu>
      )}
      {Dialog && <Dialog detail={detail} cards={cards} onClose={() => setOpen(null)} />}
    </>
  );
}
