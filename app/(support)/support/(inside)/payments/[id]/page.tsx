import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache, type ReactNode, Suspense } from "react";
import { ReportedStatus } from "@/components/support/operation-list";
import { SupportPaymentPage } from "@/components/support/payment-page";
import { Skeleton } from "@/components/ui/skeleton";
import { AppError } from "@/lib/contract/errors";
import { moneyText, titleId } from "@/lib/contract/format";
import type { ProcessorStatus, SupportPayment } from "@/lib/contract/support/payment-detail";
import { getSupportPayment } from "@/lib/domain/support/payment-detail";
import type { StaffCall } from "@/lib/domain/support/staff";
import { readProcessorStatus } from "@/lib/domain/support/unknown-outcomes";
import { supportPage } from "@/lib/http/page";

type PaymentRouteProps = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: PaymentRouteProps): Promise<Metadata> {
  const { payment } = (await read(await supportPage(), (await params).id)).detail;
  return { title: `${moneyText(payment.amount, payment.currency)} · ${titleId(payment.id)} · Support` };
}

export default async function SupportPaymentRoute({ params }: PaymentRouteProps) {
  const page = await supportPage();
  const payment = await read(page, (await params).id);
  // Not awaited: the processor may be slow.
  const answers = readProcessorStatus(page.service, payment);
  return <SupportPaymentPage shown={payment} answers={statusSlots(payment, answers)} />;
}

/** Cached because the page and its title both need it, and each look-up is recorded. */
const read = cache(async (page: StaffCall, id: string): Promise<SupportPayment> => {
  try {
    return await getSupportPayment(page, { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  }
});

/** Operation → the processor's status, streamed when it arrives. */
function statusSlots(payment: SupportPayment, answers: Promise<ProcessorStatus[]>): Record<string, ReactNode> {
  return Object.fromEntries(
    payment.operations.map(({ id }) => [
      id,
      <Suspense key={id} fallback={<Skeleton className="inline-block h-3 w-24" />}>
        <StatusSlot id={id} answers={answers} />
      </Suspense>,
    ]),
  );
}

async function StatusSlot({ id, answers }: { id: string; answers: Promise<ProcessorStatus[]> }) {
  const answer = (await answers).find(({ reference }) => reference === id) ?? null;
  return <ReportedStatus answer={answer} />;
}
