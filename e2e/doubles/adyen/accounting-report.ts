import { formatMinor } from "@/lib/contract/currencies";
import { fromAdyenAmount } from "@/lib/processor/adyen/amounts";
import type { StatementFile } from "@/lib/processor/records";
import type { AdyenDouble } from "./api";
import { type Amount, methodOf, newPsp, type Payment } from "./books";

type Options = {
  /** The report's period; it starts and ends with another program's payment. */
  from: Date;
  until: Date;
  /** The booking time of lines of a type; now by default. Lines outside the period are left out. */
  bookedAt?: (type: string) => Date;
};
type Line = { type: string; psp: string; reference: string; method: string; amount: Amount; at: Date } & Partial<{
  received: number;
  authorised: number;
  captured: number;
  modification: { psp: string; reference: string };
  last4: string;
}>;

/**
 * The double's books as Adyen's Payment accounting report: one line per movement between a payment's
 * registers.
 */
export function accountingReport(double: AdyenDouble, options: Options): StatementFile {
  const { from, until, bookedAt = () => new Date() } = options;
  const lines = linesOf(double, bookedAt).filter(({ at }) => at >= from && at <= until);
  const all = [...releasedAt(from), ...lines, ...releasedAt(until)].map((line) => cellsOf(double, line));
  const text = [Object.keys(all[0] ?? {}), ...all.map((cells) => Object.values(cells))]
    .map((cells) => cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(","))
    .join("\n");
  return { name: "payments_accounting_report.csv", bytes: new TextEncoder().encode(`${text}\n`) };
}

function linesOf({ books }: AdyenDouble, bookedAt: (type: string) => Date): Line[] {
  const ofPayment = ({ psp, reference, card, amount }: Payment) => ({
    psp,
    reference,
    amount,
    method: methodOf(card.number),
    last4: card.number.slice(-4),
  });
  const made = [...books.payments.values()].flatMap((payment): Line[] => {
    const { value } = payment.amount;
    const line = (type: string, moves: Partial<Line>): Line => ({
      ...ofPayment(payment),
      type,
      at: bookedAt(type),
      ...moves,
    });
    const begun = line("Received", { received: value });
    if (payment.state === "challenged") return [begun];
    if (payment.state === "refused") return [begun, line("Refused", { received: -value })];
    const authorised = [begun, line("Authorised", { received: -value, authorised: value })];
    if (!payment.capturesAtOnce) return authorised;
    return [...authorised, line("SentForSettle", { authorised: -value, captured: value })];
  });
  const modified = books.modifications.flatMap((modification): Line[] => {
    const { kind, payment, psp, reference, amount, state } = modification;
    if ((state !== "done" && state !== "failed") || !books.payments.has(payment.psp)) return [];
    const line = (type: string, moves: Partial<Line>): Line => ({
      ...ofPayment(payment),
      type,
      at: bookedAt(type),
      amount,
      modification: { psp, reference },
      ...moves,
    });
    const back = state === "failed";
    const { value } = amount;
    switch (kind) {
      case "capture":
        return [
          line("SentForSettle", { authorised: -value, captured: value }),
          ...(back ? [line("CaptureFailed", { authorised: value, captured: -value })] : []),
        ];
      case "cancel":
        return [line("Cancelled", { authorised: -value })];
      case "refund":
        return [
          line("SentForRefund", { captured: -value }),
          ...(back ? [line("RefundFailed", { captured: value })] : []),
        ];
      default:
        return kind satisfies never;
    }
  });
  return [...made, ...modified];
}

/** A hold that another program on the same account created and canceled. */
function releasedAt(at: Date): Line[] {
  const amount = { value: 100, currency: "EUR" };
  const line = { psp: newPsp(), reference: 'Order 7, "blue"', method: "mc", amount, at };
  return [
    { ...line, type: "Received", received: 100 },
    { ...line, type: "Authorised", received: -100, authorised: 100 },
    { ...line, type: "Cancelled", authorised: -100 },
  ];
}

/** Cells by column, in the order of Adyen's docs. */
function cellsOf({ merchantAccount }: AdyenDouble, line: Line): Record<string, string> {
  const { amount, received, authorised, captured, modification } = line;
  const main = (value: number | undefined) => (value === undefined ? "" : decimal({ ...amount, value }));
  return {
    "Company Account": "ExampleShop",
    "Merchant Account": merchantAccount,
    "Psp Reference": line.psp,
    "Merchant Reference": line.reference,
    "Payment Method": line.method,
    "Booking Date": line.at.toISOString().slice(0, 19).replace("T", " "),
    TimeZone: "UTC",
    "Main Currency": amount.currency,
    "Main Amount": main(captured ?? authorised ?? received),
    "Record Type": line.type,
    "Payment Currency": amount.currency,
    "Received (PC)": main(received),
    "Authorised (PC)": main(authorised),
    "Captured (PC)": main(captured),
    "Modification Psp Reference": modification?.psp ?? "",
    "Modification Merchant Reference": modification?.reference ?? "",
    "Card Summary": line.last4 ?? "",
  };
}

function decimal(amount: Amount): string {
  const units = fromAdyenAmount({ ...amount, value: Math.abs(amount.value) });
  if (units === null) throw new Error(`the double holds ${amount.value} ${amount.currency}, which we never send`);
  return `${amount.value < 0 ? "-" : ""}${formatMinor(units, amount.currency).split(" ")[0]}`;
}
