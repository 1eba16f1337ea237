/** Documents of refunds: a credit note for an invoice, a refund receipt for any other payment. */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { isolate } from "@/lib/contract/checkout/localized";
import type { Shop } from "@/lib/contract/checkout/shop";
import type { CardBrand } from "@/lib/contract/transactions/words";
import type { ShownTax } from "./tax";

/** `CN-000001`: one series for both kinds, without gaps in each environment. */
export const creditNoteNumber = (number: number): string => `CN-${String(number).padStart(6, "0")}`;

/** Null for any other text. */
export function readCreditNoteNumber(text: string): number | null {
  const number = Number(/^CN-(\d{6,9})$/.exec(text)?.[1] ?? 0);
  return number > 0 && creditNoteNumber(number) === text ? number : null;
}

/** A document for its page. Amounts in minor units. */
export type CreditNote = {
  shop: Shop;
  number: string;
  locale: CheckoutLocale;
  time_zone: string;
  /** The document whose payment was refunded. */
  of: { kind: "invoice" | "receipt"; number: string };
  /** Null on refund receipts, which name no customer. */
  customer_email: string | null;
  amount: number;
  currency: string;
  /** The tax part of the amount. */
  tax: ShownTax | null;
  issued_at: string;
  /** When the bank returned the refund. */
  voided_at: string | null;
  card: { brand: CardBrand | null; last4: string } | null;
};

/** A document in a list, of an invoice or a payment. */
export type ListedCreditNote = {
  number: string;
  amount: number;
  currency: string;
  at: string;
  voided_at: string | null;
};

/** Days and cards come formatted. */
type CreditNoteTexts = {
  creditNote: string;
  refundReceipt: string;
  /** Heading of an invoice's. */
  creditNotes: string;
  notFound: { title: string; text: string };
  refundedTo: (day: string, card: string) => string;
  void: (day: string) => string;
  rows: { invoice: string; receipt: string; date: string; total: string };
  /** Label of a void one in a list. */
  isVoid: string;
  /** Before a link in a mail. */
  view: (number: string) => string;
  viewOfInvoice: (number: string, invoice: string) => string;
};

const TEXTS: Record<CheckoutLocale, CreditNoteTexts> = {
  en: {
    creditNote: "Credit note",
    refundReceipt: "Refund receipt",
    creditNotes: "Credit notes",
    notFound: { title: "Document not found", text: "Check that you opened the whole address." },
    refundedTo: (day, card) => `Refunded on ${day} to ${card}`,
    void: (day) => `Void: the bank returned this refund on ${day}.`,
    rows: { invoice: "For invoice", receipt: "For receipt", date: "Date", total: "Total refunded" },
    isVoid: "Void",
    view: (number) => `View and print your refund receipt ${number}:`,
    viewOfInvoice: (number, invoice) => `View and print credit note ${number} for invoice ${invoice}:`,
  },
  de: {
    creditNote: "Rechnungskorrektur",
    refundReceipt: "Erstattungsbeleg",
    creditNotes: "Rechnungskorrekturen",
    notFound: { title: "Dokument nicht gefunden", text: "Prüfen Sie, ob Sie die ganze Adresse geöffnet haben." },
    refundedTo: (day, card) => `Erstattet am ${day} auf ${card}`,
    void: (day) => `Ungültig: Die Bank hat diese Erstattung am ${day} zurückgegeben.`,
    rows: { invoice: "Zu Rechnung", receipt: "Zu Beleg", date: "Datum", total: "Erstatteter Betrag" },
    isVoid: "Ungültig",
    view: (number) => `Ihr Erstattungsbeleg ${number} zum Ansehen und Drucken:`,
    viewOfInvoice: (number, invoice) =>
      `Die Rechnungskorrektur ${number} zu Rechnung ${invoice} zum Ansehen und Drucken:`,
  },
  fr: {
    creditNote: "Avoir",
    refundReceipt: "Reçu de remboursement",
    creditNotes: "Avoirs",
    notFound: { title: "Document introuvable", text: "Vérifiez que vous avez ouvert l’adresse complète." },
    refundedTo: (day, card) => `Remboursé le ${day} sur ${card}`,
    void: (day) => `Annulé : la banque a renvoyé ce remboursement le ${day}.`,
    rows: { invoice: "Pour la facture", receipt: "Pour le reçu", date: "Date", total: "Total remboursé" },
    isVoid: "Annulé",
    view: (number) => `Votre reçu de remboursement ${number}, à consulter et à imprimer :`,
    viewOfInvoice: (number, invoice) => `L’avoir ${number} pour la facture ${invoice}, à consulter et à imprimer :`,
  },
  es: {
    creditNote: "Factura rectificativa",
    refundReceipt: "Recibo de reembolso",
    creditNotes: "Facturas rectificativas",
    notFound: { title: "Documento no encontrado", text: "Compruebe que ha abierto la dirección completa." },
    refundedTo: (day, card) => `Reembolsado el ${day} en ${card}`,
    void: (day) => `Sin efecto: el banco devolvió este reembolso el ${day}.`,
    rows: { invoice: "De la factura", receipt: "Del recibo", date: "Fecha", total: "Total reembolsado" },
    isVoid: "Sin efecto",
    view: (number) => `Su recibo de reembolso ${number}, para ver e imprimir:`,
    viewOfInvoice: (number, invoice) =>
      `La factura rectificativa ${number} de la factura ${invoice}, para ver e imprimir:`,
  },
  pt: {
    creditNote: "Nota de crédito",
    refundReceipt: "Recibo de reembolso",
    creditNotes: "Notas de crédito",
    notFound: { title: "Documento não encontrado", text: "Verifique se você abriu o endereço completo." },
    refundedTo: (day, card) => `Reembolsado em ${day} em ${card}`,
    void: (day) => `Sem efeito: o banco devolveu este reembolso em ${day}.`,
    rows: { invoice: "Da fatura", receipt: "Do recibo", date: "Data", total: "Total reembolsado" },
    isVoid: "Sem efeito",
    view: (number) => `Seu recibo de reembolso ${number}, para ver e imprimir:`,
    viewOfInvoice: (number, invoice) => `A nota de crédito ${number} da fatura ${invoice}, para ver e imprimir:`,
  },
  ar: {
    creditNote: "إشعار دائن",
    refundReceipt: "إيصال إعادة مبلغ",
    creditNotes: "الإشعارات الدائنة",
    notFound: { title: "لم يُعثر على المستند", text: "تأكد من أنك فتحت العنوان كاملًا." },
    refundedTo: (day, card) => `أُعيد في ${isolate(day)} إلى ${isolate(card)}`,
    void: (day) => `ملغى: ردّ البنك هذا المبلغ في ${isolate(day)}.`,
    rows: { invoice: "للفاتورة", receipt: "للإيصال", date: "التاريخ", total: "إجمالي المبلغ المُعاد" },
    isVoid: "ملغى",
    view: (number) => `إيصال إعادة المبلغ ${isolate(number)} للعرض والطباعة:`,
    viewOfInvoice: (number, invoice) =>
      `الإشعار الدائن ${isolate(number)} للفاتورة ${isolate(invoice)} للعرض والطباعة:`,
  },
};

export const creditNoteTexts = (locale: CheckoutLocale): CreditNoteTexts => TEXTS[locale];
