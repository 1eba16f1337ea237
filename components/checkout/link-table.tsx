import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { Money } from "@/components/ui/card";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import { linkTitle, type PaymentLinkItem, type PaymentLinkStatus } from "@/lib/contract/checkout/payment-link";
import { moneyTextWithCode } from "@/lib/contract/format";
import { priceText } from "@/lib/contract/plans/schedule";
import type { Mode } from "@/lib/contract/transactions/words";

const COLUMNS = [
  ["Link", "pr-4"],
  ["Price", "w-48 pr-6 text-right max-sm:hidden"],
  ["Status", "w-32 pr-4"],
  ["Opened", "w-20 pr-4 text-right max-md:hidden"],
  ["Sales", "w-24 pr-4 text-right max-md:hidden"],
  ["Captured", "w-36 pr-6 text-right max-md:hidden"],
  ["Created", "w-28 pr-4 max-xl:hidden"],
  ["Expires", "w-28 max-lg:hidden"],
] as const;

/** A page of links; on narrow screens the first cell holds the rest. */
export function PaymentLinkTable({ links, mode }: { links: readonly PaymentLinkItem[]; mode: Mode }) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Payment links, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {links.map((link) => (
          <LinkRow key={link.id} link={link} path={`/${mode}/checkout/links/${link.id}`} />
        ))}
      </tbody>
    </table>
  );
}

function LinkRow({ link, path }: { link: PaymentLinkItem; path: string }) {
  const title = linkTitle(link);
  const bought = link.plan_name ?? link.description;
  return (
    <tr className="relative h-10 border-b hover:bg-raised">
      <td className="py-2 pr-4 align-middle">
        <Link
          href={path}
          className="block font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 sm:line-clamp-2"
          title={title}
        >
          {title}
        </Link>
        <span className="block text-soft text-xs [overflow-wrap:anywhere] sm:truncate">
          {[bought === title ? null : bought, link.single_use ? "Single use" : null].filter(Boolean).join(" · ")}
        </span>
        <span className="block text-soft sm:hidden">
          <Price link={link} />
        </span>
        <span className="block text-soft text-xs md:hidden">
          Opened {timesText(link.opened)} · <Sales link={link} path={path} words />
        </span>
      </td>
      <td className="text-balance py-2 pr-6 text-right align-middle max-sm:hidden">
        <Price link={link} />
      </td>
      <td className="py-2 pr-4 align-middle max-sm:pr-0 max-sm:text-right">
        <LinkStatus status={link.status} />
      </td>
      <td className="py-2 pr-4 text-right align-middle text-soft tabular-nums max-md:hidden">
        {link.opened.toLocaleString("en-US")}
      </td>
      <td className="py-2 pr-4 text-right align-middle max-md:hidden">
        <Sales link={link} path={path} />
      </td>
      <td className="py-2 pr-6 text-right align-middle max-md:hidden">
        <Captured link={link} path={path} />
      </td>
      <td className="relative py-2 pr-4 align-middle text-soft max-xl:hidden">
        <Time at={link.created_at} style="date" />
      </td>
      <td className="relative py-2 align-middle text-soft max-lg:hidden">
        {link.expires_at === null ? "Never" : <Time at={link.expires_at} style="date" />}
      </td>
    </tr>
  );
}

/** A subscription has more of a price than what is due on its first day. */
function Price({ link: { terms, amount, currency } }: { link: PaymentLinkItem }) {
  if (terms === null || terms.every === null) return <Money amount={amount} currency={currency} />;
  return <span className="tabular-nums">{priceText(terms, currency, moneyTextWithCode)}</span>;
}

type FigureProps = { link: PaymentLinkItem; path: string };

const COUNTED = "relative text-accent tabular-nums hover:underline";

/** Formats a count of uses: "1 time". */
export const timesText = (count: number): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? "time" : "times"}`;

/** A recurring plan begins subscriptions, even where a free trial takes no payment. */
export const sellsSubscriptions = ({ terms }: PaymentLinkItem): boolean => terms !== null && terms.every !== null;

/** Number of payments or of subscriptions begun, linked to their sessions. */
export function Sales({ link, path, words = false }: FigureProps & { words?: boolean }) {
  const { count, capped } = link.sales;
  const noun = `${sellsSubscriptions(link) ? "subscription" : "payment"}${count === 1 ? "" : "s"}`;
  const text = `${count.toLocaleString("en-US")}${capped ? "+" : ""}${words ? ` ${noun}` : ""}`;
  if (count === 0) return <span className="text-soft tabular-nums">{text}</span>;
  return (
    <Link href={`${path}?status=COMPLETED`} className={COUNTED}>
      {text}
      {!words && (
        <span className="sr-only">
          {" "}
          {noun} of {linkTitle(link)}
        </span>
      )}
    </Link>
  );
}

/** Captured totals per currency; a lower bound if there are more sales than are summed. */
export function Captured({ link, path }: FigureProps) {
  if (link.sales.captured.length === 0) return <span className="text-soft">–</span>;
  return (
    <Link href={`${path}?status=COMPLETED`} className={COUNTED}>
      {link.sales.captured.map(({ amount, currency }) => (
        <span key={currency} className="block">
          {link.sales.capped && "at least "}
          <Money amount={amount} currency={currency} />
        </span>
      ))}
    </Link>
  );
}

/** A paid single-use link shows as done. */
export function LinkStatus({ status }: { status: PaymentLinkStatus }) {
  return <StatusBadge status={status === "COMPLETED" ? "PAID" : status} />;
}
