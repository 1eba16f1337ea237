import type { Metadata } from "next";
import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { RecordCalls } from "@/components/demo/live-log";
import { NoOrder, Result } from "@/components/demo/result";
import { findDemoShop, readDemoOrder, takeDemoCall } from "@/lib/http/demo";

export const metadata: Metadata = { title: "Your order" };

type Search = { client_session_id?: unknown; payment_id?: unknown };

export default async function ResultPage({ searchParams }: { searchParams: Promise<Search> }) {
  const shop = findDemoShop();
  if (!shop) notFound();
  const { client_session_id, payment_id } = await searchParams;
  const waitSeconds = takeDemoCall(await headers());
  if (waitSeconds > 0) {
    return <NoOrder reason={`The shop is busy. Reload the page in ${waitSeconds} s: your payment is not lost.`} />;
  }
  const { session, payment, subscription, calls, problem } = await readDemoOrder(shop, {
    sessionId: typeof client_session_id === "string" ? client_session_id : "",
    paymentId: typeof payment_id === "string" ? payment_id : null,
  });
  return (
    <>
      <RecordCalls calls={calls} />
      {session ? (
        <Result session={session} payment={payment} subscription={subscription} />
      ) : (
        <NoOrder reason={problem} />
      )}
    </>
  );
}
