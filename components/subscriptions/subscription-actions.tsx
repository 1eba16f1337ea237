"use client";

import {
  ArrowLeftRight,
  CalendarPlus,
  ChevronDown,
  CircleHelp,
  CirclePause,
  CirclePlay,
  CircleX,
  CreditCard,
  RotateCcw,
} from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { missingPart } from "@/components/ui/missing-part";
import { withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { SubscriptionDetail } from "@/lib/contract/subscriptions/detail";
import type { SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";

export type SubscriptionDialogProps = { detail: SubscriptionDetail; onClose: () => void };

const DIALOGS = {
  cancel: dynamic(() => import("./cancel-dialog").then((module) => module.CancelDialog, missingPart)),
  keep: dynamic(() => import("./update-dialogs").then((module) => module.KeepDialog, missingPart)),
  pause: dynamic(() => import("./update-dialogs").then((module) => module.PauseDialog, missingPart)),
  card: dynamic(() => import("./update-dialogs").then((module) => module.CardDialog, missingPart)),
  trial: dynamic(() => import("./update-dialogs").then((module) => module.TrialDialog, missingPart)),
  resume: dynamic(() => import("./charge-dialogs").then((module) => module.ResumeDialog, missingPart)),
  retry: dynamic(() => import("./charge-dialogs").then((module) => module.RetryDialog, missingPart)),
  change: dynamic(() => import("./change-plan-dialog").then((module) => module.ChangePlanDialog, missingPart)),
};
type DialogName = keyof typeof DIALOGS;

type Offer = { dialog: DialogName; label: string; icon: ReactNode; danger?: boolean };

/** Actions that the status allows, the most likely first. */
function offersOf({ subscription, actions, unpaid }: SubscriptionDetail): Offer[] {
  const can = (action: (typeof actions)[number]) => actions.includes(action);
  const { status, period, cancel_at_period_end: ends } = subscription;
  const offers: (Offer | false | null)[] = [
    can("retry") && unpaid && { dialog: "retry", label: "Retry now", icon: <RotateCcw aria-hidden="true" /> },
    can("resume") && { dialog: "resume", label: "Resume", icon: <CirclePlay aria-hidden="true" /> },
    can("change-plan") && {
      dialog: "change",
      label: "Change plan or quantity",
      icon: <ArrowLeftRight aria-hidden="true" />,
    },
    can("update") && { dialog: "card", label: "Change card", icon: <CreditCard aria-hidden="true" /> },
    can("update") &&
      status === "TRIALING" &&
      period?.number === 0 && { dialog: "trial", label: "Extend the trial", icon: <CalendarPlus aria-hidden="true" /> },
    can("pause") && { dialog: "pause", label: "Pause", icon: <CirclePause aria-hidden="true" /> },
    can("cancel") && {
      dialog: "cancel",
      label: ends ? "Cancel now" : "Cancel",
      icon: <CircleX aria-hidden="true" />,
      danger: true,
    },
  ];
  return offers.filter((offer): offer is Offer => Boolean(offer));
}

const NONE: Partial<Record<SubscriptionStatus, string>> = {
  INCOMPLETE: "The first payment isn’t done. Until then nothing can be changed.",
  CANCELLED: "The subscription has ended. Subscribe the customer again to go on.",
  EXPIRED: "The subscription never began. Subscribe the customer again to start over.",
};

/** A button for the likeliest action and a menu of the others, or why there is none. */
export function SubscriptionActions({ detail }: { detail: SubscriptionDetail }) {
  const { can } = useDashboard();
  const [open, setOpen] = useState<DialogName | null>(null);
  const offers = offersOf(detail);
  const reason = !can("subscription.write")
    ? "Your role does not allow you to change subscriptions. Ask an owner of this account."
    : (NONE[detail.subscription.status] ?? null);
  const [first, ...others] = offers;
  if (reason !== null || !first) {
    return (
      <>
        {detail.subscription.ended_at !== null && can("subscription.write") && (
          <SubscribeAgain {...detail.subscription} />
        )}
        <Popover>
          <PopoverTrigger asChild>
            <Button variant="ghost" icon={<CircleHelp aria-hidden="true" />}>
              Why can’t I change it?
            </Button>
          </PopoverTrigger>
          <PopoverContent label="Actions not available now" align="end" className="w-80">
            <p>{reason}</p>
          </PopoverContent>
        </Popover>
      </>
    );
  }
  const Dialog = open && DIALOGS[open];
  return (
    <>
      <Button
        variant={first.dialog === "change" ? "secondary" : "primary"}
        icon={first.icon}
        onClick={() => setOpen(first.dialog)}
      >
        {first.label}
      </Button>
      {others.length > 0 && (
        <Menu>
          <MenuTrigger asChild>
            <Button>
              More
              <ChevronDown aria-hidden="true" />
            </Button>
          </MenuTrigger>
          <MenuContent align="end" label="More actions" className="w-60">
            {others.map(({ dialog, label, icon, danger = false }) => (
              <span key={dialog} className="contents">
                {danger && <MenuSeparator />}
                <MenuItem icon={icon} danger={danger} onSelect={() => setOpen(dialog)}>
                  {label}…
                </MenuItem>
              </span>
            ))}
          </MenuContent>
        </Menu>
      )}
      {Dialog && <Dialog detail={detail} onClose={() => setOpen(null)} />}
    </>
  );
}

/** Leads to the form for a new subscription of the same customer. */
function SubscribeAgain({ customer_id, customer_email, plan_id }: SubscriptionDetail["subscription"]) {
  const { mode } = useDashboard();
  const query = { customer: customer_id, email: customer_email, plan: plan_id };
  return (
    <Link href={withFilters(`/${mode}/subscriptions/new`, query)} prefetch={false} className={buttonStyles()}>
      Subscribe again
    </Link>
  );
}

/** Undoes a cancellation at the end of the period. */
export function KeepButton({ detail }: { detail: SubscriptionDetail }) {
  const { can } = useDashboard();
  const [isOpen, setOpen] = useState(false);
  if (!can("subscription.write") || !detail.actions.includes("pause")) return null;
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Keep subscription
      </Button>
      {isOpen && <DIALOGS.keep detail={detail} onClose={() => setOpen(false)} />}
    </>
  );
}
