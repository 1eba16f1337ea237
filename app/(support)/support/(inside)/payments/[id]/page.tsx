import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { type ReactNode, Suspense } from "react";
import { OperationAnswer } from "@/components/support/operation-list";
import { PaymentInsidePage } from "@/components/support/payment-inside-page";
import { Skeleton } from "@/components/ui/skeleton";
import { AppError } from "@/lib/contract/errors";
import type { PaymentInside, ProcessorAnswer } from "@/lib/contract/support/payment-inside";
import { getPaymentInside } from "@/lib/domain/support/payment-inside";
import type { StaffCall } from "@/lib/domain/support/staff";
import { askProcessor } from "@/lib/domain/support/unknown-outcomes";
import { supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payment · Support" };

type PaymentRouteProps = { params: Promise<{ id: string }> };

export default async function SupportPaymentRoute({ params }: PaymentRouteProps) {
  const page = await supportPage();
  const inside = await read(page, (await params).id);
  // The page does not wait for the processor, which may be slow.
  const answers = askProcessor(page.service, inside);
  return <PaymentInsidePage inside={inside} answers={answerSlots(inside, answers)} />;
}

async function read(page: StaffCall, id: string): Promise<PaymentInside> {
  try {
    return await getPaymentInside(page, { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  }
}

/** Operation → what the processor says of it, as soon as it has said it. */
function answerSlots(inside: PaymentInside, answers: Promise<ProcessorAnswer[]>): Record<string, ReactNode> {
  return Object.fromEntries(
    inside.operations.map(({ id }) => [
      id,
      <Suspense key={id} fallback={<Skeleton className="inline-block h-3 w-24" />}>
        <Answer id={id} answers={answers} />
      </Suspense>,
    ]),
  );
}

async function Answer({ id, answers }: { id: string; answers: Promise<ProcessorAnswer[]> }) {
  const answer = (await answers).find(({ reference }) => reference === id) ?? null;
  return <OperationAnswer answer={answer} />;
}
