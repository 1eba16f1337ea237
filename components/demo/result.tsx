import { Check, Clock, RotateCcw, ShieldQuestion, X } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { cardText, moneyTextWithCode } from "@/lib/contract/format";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { LookAgain } from "./live-log";
import { checkoutPath, MONTHLY, type Order, PRINTS, readOrder } from "./order";
import { type OrderOutcome, outcomeOf } from "./outcome";
import { PrintArt } from "./product";

const ICONS: Record<OrderOutcome["kind"], { icon: typeof Check; look: string }> = {
  paid: { icon: Check, look: "bg-green-ground text-green" },
  reserved: { icon: Check, look: "bg-green-ground text-green" },
  waiting: { icon: Clock, look: "bg-amber-ground text-amber" },
  action: { icon: ShieldQuestion, look: "bg-amber-ground text-amber" },
  unpaid: { icon: X, look: "bg-red-ground text-red" },
  closed: { icon: X, look: "bg-red-ground text-red" },
  returned: { icon: RotateCcw, look: "bg-violet-ground text-violet" },
};

type ResultProps = { session: ClientSession; payment: Payment | null; subscription: Subscription | null };

/** Result of an order, freshly read from the API by the shop's server. */
export function Result({ session, payment, subscription }: ResultProps) {
  const outcome = outcomeOf(session, payment, subscription);
  const order = orderOf(session);
  const { icon: Icon, look } = ICONS[outcome.kind];
  return (
    <div className="mx-auto max-w-2xl pt-10 sm:pt-16">
      {(outcome.kind === "waiting" || outcome.kind === "action") && <LookAgain />}
      <div aria-live="polite">
        <span className={`inline-flex size-11 items-center justify-center rounded-full ${look}`}>
          <Icon className="size-5" aria-hidden="true" />
        </span>
        <h1 className="shop-display mt-4 text-4xl sm:text-5xl">{outcome.title}</h1>
        <p className="mt-4 text-base text-soft">{outcome.text}</p>
      </div>
      <Actions outcome={outcome} order={order} payment={payment} />
      <section aria-labelledby="facts" className="mt-10 border bg-raised">
        <div className="flex items-center gap-4 border-b px-5 py-4">
          <PrintArt print={order.print} className="h-20 w-15 shrink-0" />
          <div>
            <h2 id="facts" className="font-semibold">
              {order.product === "monthly" ? MONTHLY.plan : PRINTS[order.print].title}
            </h2>
            <p className="text-[13px] text-soft">
              {order.product === "monthly" ? "Today" : order.quantity === 1 ? "One print" : `${order.quantity} prints`},{" "}
              {moneyTextWithCode(session.amount ?? 0, session.currency ?? "USD")}
            </p>
          </div>
        </div>
        <Facts session={session} payment={payment} subscription={subscription} />
      </section>
      {subscription && <TurnTheClock />}
      <p className="mt-4 text-[13px] text-soft">
        The shop’s server read this from the API. It doesn’t rely on what the form told the browser:{" "}
        <Link href="/docs/quickstart#result" prefetch={false} className="text-accent underline underline-offset-2">
          why
        </Link>
        .
      </p>
    </div>
  );
}

function Actions({ outcome, order, payment }: { outcome: OrderOutcome; order: Order; payment: Payment | null }) {
  const challenge = payment?.next_action?.redirect_to_url.url;
  return (
    <p className="mt-7 flex flex-wrap gap-3 empty:hidden">
      {outcome.kind === "action" && challenge && (
        <a href={challenge} className="shop-buy">
          Continue at your bank
        </a>
      )}
      {outcome.kind === "unpaid" && order.id !== null && (
        <Link href={checkoutPath(order)} prefetch={false} className="shop-buy">
          Back to the payment
        </Link>
      )}
      {outcome.kind !== "waiting" && (
        <Link href={`/demo?print=${order.print}`} prefetch={false} className="shop-buy shop-quiet">
          {outcome.kind === "closed" ? "Order again" : "Keep looking around"}
        </Link>
      )}
    </p>
  );
}

/** For the developer behind the counter: what comes next without waiting for it. */
function TurnTheClock() {
  return (
    <section aria-labelledby="clock" className="mt-6 border border-dashed px-5 py-4 text-[13px]">
      <h2 id="clock" className="font-semibold">
        See it renew now
      </h2>
      <p className="mt-1 text-soft">
        Sign in to the{" "}
        <Link href="/test" prefetch={false} className="text-accent underline underline-offset-2">
          dashboard in test mode
        </Link>{" "}
        and choose “Advance time…” at the top: to the end of the trial, then to the next renewal. The invoices are
        charged on the way. Then reload this page. Card 4000 0000 0000 7205 pays twice and is declined at the third
        renewal:{" "}
        <Link href="/docs/subscriptions" prefetch={false} className="text-accent underline underline-offset-2">
          what follows
        </Link>
        .
      </p>
    </section>
  );
}

function Facts({ session, payment, subscription }: ResultProps) {
  const charge = payment?.transactions.find(({ type }) => type === "CHARGE");
  return (
    <dl className="divide-y text-[13px]">
      <Fact label="Client session" value={<Code text={session.id} />} aside={session.status} />
      {subscription && (
        <Fact label="Subscription" value={<Code text={subscription.id} />} aside={subscription.status} />
      )}
      {payment && <Fact label="Payment" value={<Code text={payment.id} />} aside={payment.status} />}
      {payment?.card && <Fact label="Card" value={cardText(payment.card.brand, payment.card.last4)} />}
      {charge?.decline_code && <Fact label="Decline code" value={<Code text={charge.decline_code} />} />}
      {payment && (
        <Fact
          label="For the merchant"
          value={
            <Link
              href={`/test/payments/${payment.id}`}
              prefetch={false}
              className="text-accent underline underline-offset-2"
            >
              Open the payment in the dashboard
            </Link>
          }
        />
      )}
    </dl>
  );
}

const Code = ({ text }: { text: string }) => <code className="font-mono text-xs [overflow-wrap:anywhere]">{text}</code>;

function Fact({ label, value, aside }: { label: string; value: ReactNode; aside?: string }) {
  return (
    <div className="grid gap-x-4 px-5 py-2.5 sm:grid-cols-[9rem_1fr_auto]">
      <dt className="text-soft">{label}</dt>
      <dd className="min-w-0">{value}</dd>
      {aside && <dd className="font-mono text-xs">{aside}</dd>}
    </div>
  );
}

/** The order, restored from the session's metadata. */
function orderOf({ metadata, currency, capture_method }: ClientSession): Order {
  return readOrder({ ...metadata, quantity: metadata.quantity, currency, capture: capture_method });
}

/** Page for an address without an order of this shop. */
export function NoOrder({ reason }: { reason: string }) {
  return (
    <div className="mx-auto max-w-xl pt-14">
      <h1 className="shop-display text-4xl">No order found</h1>
      <p className="mt-4 text-base text-soft">{reason}</p>
      <p className="mt-7">
        <Link href="/demo" className="shop-buy">
          Back to the prints
        </Link>
      </p>
    </div>
  );
}
