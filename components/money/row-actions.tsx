"use client";

import { ArrowUpRight, Ellipsis } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/action-reasons";
import { useDashboard } from "@/lib/client/dashboard-context";
import { openMoneyDialog } from "@/lib/client/money-dialogs";
import { moneyText } from "@/lib/client/money-text";
import type { ListedTransaction } from "@/lib/contract/transaction";
import { ACTIONS } from "@/lib/contract/transaction-words";
import { ACTION_LOOKS } from "./payment-actions";

/** A row's menu: every money action, possible or with the reason why not, and the way to the payment. */
export function RowActions({ transaction }: { transaction: ListedTransaction }) {
  const { mode } = useDashboard();
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button
          variant="ghost"
          size="sm"
          className="button-icon"
          aria-label={`Actions for ${moneyText(transaction.amount, transaction.currency)}, ${transaction.id}`}
          onClick={(event) => event.stopPropagation()}
        >
          <Ellipsis aria-hidden="true" />
        </Button>
      </MenuTrigger>
      <MenuContent align="end" label="Actions" className="w-72 max-w-[calc(100vw-2rem)]">
        <RowMenu transaction={transaction} />
        <MenuSeparator />
        <MenuItem href={`/${mode}/payments/${transaction.payment_id}`} icon={<ArrowUpRight aria-hidden="true" />}>
          Open payment
        </MenuItem>
      </MenuContent>
    </Menu>
  );
}

/** Made only when the menu is open: a page has a hundred rows. */
function RowMenu({ transaction }: { transaction: ListedTransaction }) {
  const { can } = useDashboard();
  const subject = subjectOfTransaction(transaction);
  return ACTIONS.map((action) => {
    const { label, icon: Icon } = ACTION_LOOKS[action];
    const reason = reasonAgainst(action, subject, can);
    return (
      <MenuItem
        key={action}
        icon={<Icon aria-hidden="true" />}
        disabled={reason !== null}
        description={reason}
        onSelect={() => openMoneyDialog({ kind: "action", action, paymentId: transaction.payment_id })}
      >
        {label}
        {reason === null && "…"}
      </MenuItem>
    );
  }).toSorted((a, b) => Number(a.props.disabled) - Number(b.props.disabled));
}
