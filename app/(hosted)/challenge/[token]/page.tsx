import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ChallengeCard } from "@/components/hosted/challenge-card";
import { challengeOf } from "@/lib/http/challenge";

export const metadata: Metadata = { title: "Confirm your payment", robots: { index: false } };
export const dynamic = "force-dynamic";

export default async function ChallengePage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const challenge = await challengeOf(token);
  if (!challenge) notFound();
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <ChallengeCard
        action={`/challenge/${token}/result`}
        merchantName={challenge.merchantName}
        status={challenge.status}
        amount={challenge.amount}
        currency={challenge.currency}
        cardLast4={challenge.cardLast4}
        returnUrl={challenge.returnUrl}
      />
    </main>
  );
}
