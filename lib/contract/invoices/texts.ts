/** The invoice's page in the languages of the payment form. */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { isolate } from "@/lib/contract/checkout/localized";

/** Amounts, days and cards come formatted. */
export type InvoiceTexts = {
  invoice: string;
  draft: string;
  notFound: { title: string; text: string };
  /** Notice on invoices in test mode. */
  test: string;
  due: string;
  paid: (day: string) => string;
  paidWith: (day: string, card: string) => string;
  nothingToPay: string;
  void: string;
  uncollectible: (merchant: string) => string;
  failed: string;
  retry: (merchant: string, day: string) => string;
  inProgress: string;
  unavailable: (merchant: string) => string;
  rows: { billedTo: string; date: string; total: string; creditUsed: string; credited: string; due: string };
  items: string;
  /** Start and end of what a line pays for. */
  range: (start: string, end: string) => string;
  pay: (amount: string) => string;
};

const range = (start: string, end: string) => `${start} – ${end}`;

const TEXTS: Record<CheckoutLocale, InvoiceTexts> = {
  en: {
    invoice: "Invoice",
    draft: "Draft invoice",
    notFound: {
      title: "Invoice not found",
      text: "Check that you opened the whole address, or ask the shop for a new link.",
    },
    test: "Test invoice: no money moves",
    due: "To be paid",
    paid: (day) => `Paid on ${day}`,
    paidWith: (day, card) => `Paid on ${day} with ${card}`,
    nothingToPay: "Nothing to pay",
    void: "Void: you owe nothing for this invoice.",
    uncollectible: (merchant) =>
      `This invoice is closed and can’t be paid here anymore. Contact ${merchant} if you want to pay it.`,
    failed: "The last payment didn’t go through.",
    retry: (merchant, day) => `${merchant} will charge your card again on ${day}. You can also pay now.`,
    inProgress: "A payment is in progress. Don’t pay again; reload this page in a moment.",
    unavailable: (merchant) => `${merchant} can’t take payments right now.`,
    rows: {
      billedTo: "Billed to",
      date: "Date",
      total: "Total",
      creditUsed: "Credit used",
      credited: "Added to your credit",
      due: "Amount due",
    },
    items: "Items",
    range,
    pay: (amount) => `Pay ${amount}`,
  },
  de: {
    invoice: "Rechnung",
    draft: "Rechnungsentwurf",
    notFound: {
      title: "Rechnung nicht gefunden",
      text: "Prüfen Sie, ob Sie die ganze Adresse geöffnet haben, oder bitten Sie den Shop um einen neuen Link.",
    },
    test: "Testrechnung: Es wird kein Geld bewegt",
    due: "Zu bezahlen",
    paid: (day) => `Bezahlt am ${day}`,
    paidWith: (day, card) => `Bezahlt am ${day} mit ${card}`,
    nothingToPay: "Nichts zu bezahlen",
    void: "Storniert: Für diese Rechnung ist nichts zu bezahlen.",
    uncollectible: (merchant) =>
      `Diese Rechnung ist geschlossen und kann hier nicht mehr bezahlt werden. Wenden Sie sich an ${merchant}, wenn Sie sie bezahlen möchten.`,
    failed: "Die letzte Zahlung ist fehlgeschlagen.",
    retry: (merchant, day) =>
      `${merchant} belastet Ihre Karte am ${day} noch einmal. Sie können auch jetzt gleich bezahlen.`,
    inProgress: "Eine Zahlung läuft. Bezahlen Sie nicht noch einmal und laden Sie diese Seite gleich neu.",
    unavailable: (merchant) => `${merchant} kann zurzeit keine Zahlungen annehmen.`,
    rows: {
      billedTo: "Rechnung an",
      date: "Datum",
      total: "Summe",
      creditUsed: "Verrechnetes Guthaben",
      credited: "Ihrem Guthaben hinzugefügt",
      due: "Zu zahlender Betrag",
    },
    items: "Posten",
    range,
    pay: (amount) => `${amount} bezahlen`,
  },
  fr: {
    invoice: "Facture",
    draft: "Brouillon de facture",
    notFound: {
      title: "Facture introuvable",
      text: "Vérifiez que vous avez ouvert l’adresse complète, ou demandez un nouveau lien à la boutique.",
    },
    test: "Facture de test : aucun argent n’est déplacé",
    due: "À payer",
    paid: (day) => `Payée le ${day}`,
    paidWith: (day, card) => `Payée le ${day} avec ${card}`,
    nothingToPay: "Rien à payer",
    void: "Annulée : vous ne devez rien pour cette facture.",
    uncollectible: (merchant) =>
      `Cette facture est close et ne peut plus être payée ici. Contactez ${merchant} si vous souhaitez la payer.`,
    failed: "Le dernier paiement n’a pas abouti.",
    retry: (merchant, day) =>
      `${merchant} débitera de nouveau votre carte le ${day}. Vous pouvez aussi payer maintenant.`,
    inProgress: "Un paiement est en cours. Ne payez pas de nouveau ; rechargez cette page dans un instant.",
    unavailable: (merchant) => `${merchant} ne peut pas accepter de paiements pour le moment.`,
    rows: {
      billedTo: "Facturée à",
      date: "Date",
      total: "Total",
      creditUsed: "Avoir utilisé",
      credited: "Ajouté à votre avoir",
      due: "Montant à payer",
    },
    items: "Détail",
    range,
    pay: (amount) => `Payer ${amount}`,
  },
  es: {
    invoice: "Factura",
    draft: "Borrador de factura",
    notFound: {
      title: "Factura no encontrada",
      text: "Compruebe que ha abierto la dirección completa o pida un enlace nuevo a la tienda.",
    },
    test: "Factura de prueba: no se mueve dinero",
    due: "Por pagar",
    paid: (day) => `Pagada el ${day}`,
    paidWith: (day, card) => `Pagada el ${day} con ${card}`,
    nothingToPay: "Nada que pagar",
    void: "Anulada: no debe nada por esta factura.",
    uncollectible: (merchant) =>
      `Esta factura está cerrada y ya no se puede pagar aquí. Contacte con ${merchant} si quiere pagarla.`,
    failed: "El último pago no se realizó.",
    retry: (merchant, day) => `${merchant} volverá a cobrar en su tarjeta el ${day}. También puede pagar ahora.`,
    inProgress: "Hay un pago en curso. No vuelva a pagar; recargue esta página en un momento.",
    unavailable: (merchant) => `${merchant} no puede aceptar pagos en este momento.`,
    rows: {
      billedTo: "Facturada a",
      date: "Fecha",
      total: "Total",
      creditUsed: "Saldo utilizado",
      credited: "Añadido a su saldo",
      due: "Importe por pagar",
    },
    items: "Conceptos",
    range,
    pay: (amount) => `Pagar ${amount}`,
  },
  pt: {
    invoice: "Fatura",
    draft: "Rascunho de fatura",
    notFound: {
      title: "Fatura não encontrada",
      text: "Verifique se você abriu o endereço completo ou peça um novo link à loja.",
    },
    test: "Fatura de teste: nenhum dinheiro é movimentado",
    due: "A pagar",
    paid: (day) => `Paga em ${day}`,
    paidWith: (day, card) => `Paga em ${day} com ${card}`,
    nothingToPay: "Nada a pagar",
    void: "Anulada: você não deve nada por esta fatura.",
    uncollectible: (merchant) =>
      `Esta fatura está encerrada e não pode mais ser paga aqui. Fale com ${merchant} se quiser pagá-la.`,
    failed: "O último pagamento não foi concluído.",
    retry: (merchant, day) => `${merchant} cobrará seu cartão novamente em ${day}. Você também pode pagar agora.`,
    inProgress: "Há um pagamento em andamento. Não pague de novo; recarregue esta página em instantes.",
    unavailable: (merchant) => `${merchant} não pode aceitar pagamentos no momento.`,
    rows: {
      billedTo: "Faturada para",
      date: "Data",
      total: "Total",
      creditUsed: "Crédito usado",
      credited: "Adicionado ao seu crédito",
      due: "Valor a pagar",
    },
    items: "Itens",
    range,
    pay: (amount) => `Pagar ${amount}`,
  },
  ar: {
    invoice: "فاتورة",
    draft: "مسودة فاتورة",
    notFound: {
      title: "لم يُعثر على الفاتورة",
      text: "تأكد من أنك فتحت العنوان كاملًا، أو اطلب رابطًا جديدًا من المتجر.",
    },
    test: "فاتورة تجريبية: لا تُنقل أي أموال",
    due: "مستحقة الدفع",
    paid: (day) => `دُفعت في ${isolate(day)}`,
    paidWith: (day, card) => `دُفعت في ${isolate(day)} بواسطة ${isolate(card)}`,
    nothingToPay: "لا شيء للدفع",
    void: "ملغاة: لا يُستحق عليك شيء لهذه الفاتورة.",
    uncollectible: (merchant) =>
      `أُغلقت هذه الفاتورة ولم يعد دفعها ممكنًا هنا. تواصل مع ${isolate(merchant)} إذا أردت دفعها.`,
    failed: "لم تتم الدفعة الأخيرة.",
    retry: (merchant, day) => `سيخصم ${isolate(merchant)} من بطاقتك مجددًا في ${isolate(day)}. يمكنك أيضًا الدفع الآن.`,
    inProgress: "هناك دفعة قيد التنفيذ. لا تدفع مرة أخرى، وأعد تحميل هذه الصفحة بعد لحظات.",
    unavailable: (merchant) => `لا يستطيع ${isolate(merchant)} قبول المدفوعات حاليًا.`,
    rows: {
      billedTo: "إلى",
      date: "التاريخ",
      total: "المجموع",
      creditUsed: "الرصيد المستخدم",
      credited: "أُضيف إلى رصيدك",
      due: "المبلغ المستحق",
    },
    items: "البنود",
    range: (start, end) => `${isolate(start)} – ${isolate(end)}`,
    pay: (amount) => `ادفع ${isolate(amount)}`,
  },
};

export const invoiceTexts = (locale: CheckoutLocale): InvoiceTexts => TEXTS[locale];
