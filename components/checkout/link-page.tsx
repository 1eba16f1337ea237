"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Actor } from "@/components/payments/request-list";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Form, FormDialog } from "@/components/ui/form";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { linkEditValues, readLinkEdit } from "@/lib/client/checkout/link-form";
import { useDashboard } from "@/lib/client/dashboard-context";
import { clockMs } from "@/lib/client/test-clock/clock";
import { useEnvironmentNow } from "@/lib/client/time-display";
import { useForm } from "@/lib/client/use-form";
import {
  linkTitle,
  type PaymentLink,
  type PaymentLinkDetail,
  type PaymentLinkItem,
} from "@/lib/contract/checkout/payment-link";
import { priceText, termsOf } from "@/lib/contract/plans/schedule";
import type { Mode } from "@/lib/contract/transactions/words";
import { LinkCard } from "./link-card";
import { WordFields } from "./link-fields";
import { Captured, LinkStatus, Sales, sellsSubscriptions, timesText } from "./link-table";

type LinkPageProps = { detail: PaymentLinkDetail; mode: Mode; canWrite: boolean };

const LINK = "text-accent hover:underline";

/** A payment link: its address, its item and its settings. Its sessions follow below. */
export function LinkPage({ detail, mode, canWrite }: LinkPageProps) {
  const { link } = detail;
  return (
    <>
      <PageHeader
        title={linkTitle(link)}
        crumbs={[{ label: "Payment links", href: `/${mode}/checkout/links` }]}
        badge={<LinkStatus status={link.status} />}
        description={<CopyId id={link.id} label="Copy link id" className="text-ink" />}
        actions={canWrite && <SwitchLink link={link} mode={mode} />}
      />
      <StatusNote link={link} />
      <div className="mb-6 grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <LinkCard
            title="Address"
            description="Send it, print it or show the QR code. Anyone with the link can pay."
            link={link.url}
            mode={mode}
            live={link.status === "ACTIVE"}
          />
          {canWrite && <EditCard link={link} mode={mode} />}
        </div>
        <SaleCard detail={detail} mode={mode} />
      </div>
    </>
  );
}

/** Explains why the link takes no payments. */
function StatusNote({ link }: { link: PaymentLinkItem }) {
  switch (link.status) {
    case "ACTIVE":
      return null;
    case "INACTIVE":
      return (
        <Banner tone="neutral" title="This link is inactive" className="mb-4">
          Visitors see that this is no longer available. A payment already in progress can still finish.
        </Banner>
      );
    case "EXPIRED":
      return (
        <Banner tone="neutral" title="Expired" className="mb-4">
          Visitors see that it has expired. Choose a later expiry to sell again.
        </Banner>
      );
    case "COMPLETED":
      return (
        <Banner tone="green" title="Paid" className="mb-4">
          This single-use link has been paid. It takes no more payments, even after a refund.
        </Banner>
      );
    case "PLAN_INACTIVE":
      return (
        <Banner tone="amber" title="The plan isn’t active" className="mb-4">
          Visitors see that this is no longer available. Activate the plan to sell again.
        </Banner>
      );
    default:
      return link.status satisfies never;
  }
}

/** The item and its sales. */
function SaleCard({ detail, mode }: Pick<LinkPageProps, "detail" | "mode">) {
  const { link, plan, created_by: by } = detail;
  const path = `/${mode}/checkout/links/${link.id}`;
  return (
    <Card title="Sale">
      <Facts
        items={[
          {
            term: "Sells",
            value: plan ? (
              <Link href={`/${mode}/plans/${plan.id}`} className={LINK}>
                {plan.name}
              </Link>
            ) : (
              "An amount"
            ),
          },
          {
            term: plan && plan.type !== "ONE_TIME" ? "Due today" : "Price",
            value: <Money amount={link.amount} currency={link.currency} />,
          },
          ...(plan && plan.type !== "ONE_TIME"
            ? [{ term: "Subscription", value: priceText(termsOf(plan), plan.currency) }]
            : []),
          { term: "Can be paid", value: link.single_use ? "Once" : "Many times" },
          {
            term: "E-mail address",
            value: link.asks_email || (plan && plan.type !== "ONE_TIME") ? "Asked for" : "Not asked for",
          },
          { term: "Opened", value: timesText(link.opened) },
          { term: sellsSubscriptions(link) ? "Subscriptions" : "Payments", value: <Sales link={link} path={path} /> },
          { term: "Captured", value: <Captured link={link} path={path} /> },
          { term: "Expires", value: link.expires_at === null ? "Never" : <Time at={link.expires_at} /> },
          { term: "Created", value: <Time at={link.created_at} /> },
          { term: "Created by", value: by && <Actor actor={by} /> },
        ]}
      />
    </Card>
  );
}

function EditCard({ link, mode }: { link: PaymentLinkItem; mode: Mode }) {
  const router = useRouter();
  const { merchant, clock } = useDashboard();
  const now = useEnvironmentNow();
  const form = useForm(linkEditValues(link, merchant.timeZone), {
    check: (values) => readLinkEdit(values, link, merchant.timeZone, now).errors,
  });

  async function save() {
    const { body } = readLinkEdit(form.values, link, merchant.timeZone, clockMs(clock, Date.now()));
    if (body === null) return;
    const { data } = await callApi("PATCH /api/dashboard/{mode}/payment-links/{id}", {
      params: { mode, id: link.id },
      body,
    });
    form.keep(linkEditValues(data, merchant.timeZone));
    toast.success("Payment link saved");
    router.refresh();
  }

  return (
    <Card title="Edit" description="To sell something else or change the price, create another link.">
      <Form form={form} onSubmit={save} live guarded aria-label="Payment link">
        <WordFields form={form} withPlan={link.plan_id !== null} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" pending={form.pending} disabled={!form.dirty}>
            Save changes
          </Button>
          <Button onClick={form.discard} disabled={!form.dirty || form.pending}>
            Discard
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** Deactivates a link after confirmation, or activates it again. */
function SwitchLink({ link, mode }: { link: PaymentLink; mode: Mode }) {
  const [open, setOpen] = useState(false);
  if (link.status === "COMPLETED") return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{link.active ? "Deactivate" : "Activate"}</Button>
      {open && <SwitchDialog link={link} mode={mode} onClose={() => setOpen(false)} />}
    </>
  );
}

function SwitchDialog({ link, mode, onClose }: { link: PaymentLink; mode: Mode; onClose: () => void }) {
  const router = useRouter();
  const form = useForm({});

  async function change() {
    await callApi("PATCH /api/dashboard/{mode}/payment-links/{id}", {
      params: { mode, id: link.id },
      body: { active: !link.active },
    });
    onClose();
    toast.success(link.active ? "Payment link deactivated" : "Payment link activated");
    router.refresh();
  }

  return (
    <FormDialog
      form={form}
      title={link.active ? "Deactivate this link?" : "Activate this link?"}
      submitLabel={link.active ? "Deactivate link" : "Activate link"}
      danger={link.active}
      focus="submit"
      onSubmit={change}
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        {(link.active ? OFF : ON).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </FormDialog>
  );
}

const OFF = [
  "Visitors see that this is no longer available.",
  "Payment forms that are already open take no more attempts; a payment in progress can still finish.",
  "You can activate it again.",
];
const ON = ["Visitors can pay again.", "Its address and QR code are the same as before."];
