/** Receipts in the languages of the payment form: the page, and the mails that link to it. */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { isolate, moneyText, NUMBER_LOCALES } from "@/lib/contract/checkout/localized";
import { cardText, dateText, fullTimeText, moneyTextWithCode } from "@/lib/contract/format";
import type { CardBrand } from "@/lib/contract/transactions/words";

type Card = { brand: CardBrand | null; last4: string };

/** Amounts, dates, names and cards come formatted. */
type ReceiptTexts = {
  receipt: string;
  notFound: { title: string; text: string };
  /** Notice on receipts in test mode. */
  test: string;
  paid: string;
  partiallyRefunded: string;
  refunded: string;
  refundedTo: (card: string) => string;
  rows: {
    bought: string;
    date: string;
    card: string;
    payment: string;
    charged: string;
    net: string;
    total: string;
    left: string;
  };
  taxNumber: string;
  amounts: string;
  refundedOn: (day: string) => string;
  pendingSince: (day: string) => string;
  contact: (merchant: string) => string;
  print: string;
  poweredBy: string;
  /** A card of unknown brand. */
  card: string;
  mail: {
    test: string;
    refund: string;
    returned: string;
    subject: (title: string, merchant: string, amount: string) => string;
    charged: (sale: MailedSale) => string;
    refunded: (sale: MailedSale) => string;
    refundReturned: (sale: MailedSale) => string;
    noMoney: string;
    view: (number: string) => string;
    questions: (merchant: string, email: string) => string;
  };
};

/** `card` begins with a blank, or is empty if unknown. */
type MailedSale = { merchant: string; amount: string; card: string; day: string };

/** "your Visa •••• 4242", "your card •••• 4242", "your card" */
const yourCard = (card: string) => (/^ \w/.test(card) ? `your${card}` : `your card${card}`);

const TEXTS: Record<CheckoutLocale, ReceiptTexts> = {
  en: {
    receipt: "Receipt",
    notFound: {
      title: "Receipt not found",
      text: "Check that you opened the whole address. A payment has a receipt once the card is charged; ask the shop if you need one.",
    },
    test: "Test receipt: no money moved",
    paid: "Paid",
    partiallyRefunded: "Paid, partially refunded",
    refunded: "Refunded in full",
    refundedTo: (card) => `Refunded in full to ${card}`,
    rows: {
      bought: "For",
      date: "Date",
      card: "Paid with",
      payment: "Payment",
      charged: "Charged",
      net: "Net amount",
      total: "Total",
      left: "Total after refunds",
    },
    taxNumber: "Tax number",
    amounts: "Amounts",
    refundedOn: (day) => `Refunded on ${day}`,
    pendingSince: (day) => `Refund pending since ${day}`,
    contact: (merchant) => `Questions? Contact ${merchant}`,
    print: "Print",
    poweredBy: "Card payment by Cardlane",
    card: "card",
    mail: {
      test: "Test",
      refund: "Refund",
      returned: "Refund returned",
      subject: (title, merchant, amount) => `${title} from ${merchant}: ${amount}`,
      charged: ({ merchant, amount, card, day }) => `${merchant} charged ${amount} to ${yourCard(card)} on ${day}.`,
      refunded: ({ merchant, amount, card, day }) =>
        `${merchant} refunded ${amount} to ${yourCard(card)} on ${day}. Banks take 5 to 10 days to show it.`,
      refundReturned: ({ merchant, amount, card, day }) =>
        `The refund of ${amount} from ${merchant} to ${yourCard(card)} was returned by your bank on ${day}. Ask ${merchant} to refund you another way.`,
      noMoney: "This was a test: no money moved.",
      view: (number) => `View and print your receipt ${number}:`,
      questions: (merchant, email) => `Questions? Write to ${merchant}: ${email}`,
    },
  },
  de: {
    receipt: "Beleg",
    notFound: {
      title: "Beleg nicht gefunden",
      text: "Prüfen Sie, ob Sie die ganze Adresse geöffnet haben. Einen Beleg gibt es, sobald die Karte belastet wurde; fragen Sie sonst den Shop danach.",
    },
    test: "Testbeleg: Es wurde kein Geld bewegt",
    paid: "Bezahlt",
    partiallyRefunded: "Bezahlt, teilweise erstattet",
    refunded: "Vollständig erstattet",
    refundedTo: (card) => `Vollständig erstattet auf ${card}`,
    rows: {
      bought: "Für",
      date: "Datum",
      card: "Bezahlt mit",
      payment: "Zahlung",
      charged: "Belastet",
      net: "Nettobetrag",
      total: "Summe",
      left: "Summe nach Erstattungen",
    },
    taxNumber: "Steuernummer",
    amounts: "Beträge",
    refundedOn: (day) => `Erstattet am ${day}`,
    pendingSince: (day) => `Erstattung ausstehend seit ${day}`,
    contact: (merchant) => `Fragen? Wenden Sie sich an ${merchant}`,
    print: "Drucken",
    poweredBy: "Kartenzahlung über Cardlane",
    card: "Karte",
    mail: {
      test: "Test",
      refund: "Erstattung",
      returned: "Erstattung zurückgekommen",
      subject: (title, merchant, amount) => `${title} von ${merchant}: ${amount}`,
      charged: ({ merchant, amount, card, day }) =>
        `${merchant} hat am ${day} ${amount} von Ihrer Karte${card} abgebucht.`,
      refunded: ({ merchant, amount, card, day }) =>
        `${merchant} hat am ${day} ${amount} auf Ihre Karte${card} erstattet. Bis Ihre Bank das anzeigt, vergehen 5 bis 10 Tage.`,
      refundReturned: ({ merchant, amount, card, day }) =>
        `Die Erstattung von ${amount} durch ${merchant} auf Ihre Karte${card} wurde am ${day} von Ihrer Bank zurückgegeben. Bitten Sie ${merchant}, Ihnen das Geld auf einem anderen Weg zu erstatten.`,
      noMoney: "Das war ein Test: Es wurde kein Geld bewegt.",
      view: (number) => `Ihr Beleg ${number} zum Ansehen und Drucken:`,
      questions: (merchant, email) => `Fragen? Schreiben Sie an ${merchant}: ${email}`,
    },
  },
  fr: {
    receipt: "Reçu",
    notFound: {
      title: "Reçu introuvable",
      text: "Vérifiez que vous avez ouvert l’adresse complète. Un paiement a un reçu une fois la carte débitée ; sinon, demandez-le à la boutique.",
    },
    test: "Reçu de test : aucun argent n’a été déplacé",
    paid: "Payé",
    partiallyRefunded: "Payé, partiellement remboursé",
    refunded: "Remboursé en totalité",
    refundedTo: (card) => `Remboursé en totalité sur ${card}`,
    rows: {
      bought: "Objet",
      date: "Date",
      card: "Payé avec",
      payment: "Paiement",
      charged: "Débité",
      net: "Montant HT",
      total: "Total",
      left: "Total après remboursements",
    },
    taxNumber: "N° d’identification fiscale",
    amounts: "Montants",
    refundedOn: (day) => `Remboursé le ${day}`,
    pendingSince: (day) => `Remboursement en attente depuis le ${day}`,
    contact: (merchant) => `Des questions ? Contactez ${merchant}`,
    print: "Imprimer",
    poweredBy: "Paiement par carte avec Cardlane",
    card: "carte",
    mail: {
      test: "Test",
      refund: "Remboursement",
      returned: "Remboursement refusé",
      subject: (title, merchant, amount) => `${title} de ${merchant} : ${amount}`,
      charged: ({ merchant, amount, card, day }) => `${merchant} a débité ${amount} sur votre carte${card} le ${day}.`,
      refunded: ({ merchant, amount, card, day }) =>
        `${merchant} a remboursé ${amount} sur votre carte${card} le ${day}. Les banques mettent 5 à 10 jours à l’afficher.`,
      refundReturned: ({ merchant, amount, card, day }) =>
        `Le remboursement de ${amount} par ${merchant} sur votre carte${card} a été renvoyé par votre banque le ${day}. Demandez à ${merchant} de vous rembourser autrement.`,
      noMoney: "C’était un test : aucun argent n’a été déplacé.",
      view: (number) => `Votre reçu ${number}, à consulter et à imprimer :`,
      questions: (merchant, email) => `Des questions ? Écrivez à ${merchant} : ${email}`,
    },
  },
  es: {
    receipt: "Recibo",
    notFound: {
      title: "Recibo no encontrado",
      text: "Compruebe que ha abierto la dirección completa. Un pago tiene recibo cuando se ha cobrado la tarjeta; si lo necesita, pídalo a la tienda.",
    },
    test: "Recibo de prueba: no se ha movido dinero",
    paid: "Pagado",
    partiallyRefunded: "Pagado, reembolsado en parte",
    refunded: "Reembolsado por completo",
    refundedTo: (card) => `Reembolsado por completo en ${card}`,
    rows: {
      bought: "Concepto",
      date: "Fecha",
      card: "Pagado con",
      payment: "Pago",
      charged: "Cobrado",
      net: "Importe neto",
      total: "Total",
      left: "Total tras los reembolsos",
    },
    taxNumber: "Número de identificación fiscal",
    amounts: "Importes",
    refundedOn: (day) => `Reembolsado el ${day}`,
    pendingSince: (day) => `Reembolso pendiente desde el ${day}`,
    contact: (merchant) => `¿Preguntas? Póngase en contacto con ${merchant}`,
    print: "Imprimir",
    poweredBy: "Pago con tarjeta mediante Cardlane",
    card: "tarjeta",
    mail: {
      test: "Prueba",
      refund: "Reembolso",
      returned: "Reembolso devuelto",
      subject: (title, merchant, amount) => `${title} de ${merchant}: ${amount}`,
      charged: ({ merchant, amount, card, day }) => `${merchant} cobró ${amount} en su tarjeta${card} el ${day}.`,
      refunded: ({ merchant, amount, card, day }) =>
        `${merchant} reembolsó ${amount} en su tarjeta${card} el ${day}. Los bancos tardan de 5 a 10 días en mostrarlo.`,
      refundReturned: ({ merchant, amount, card, day }) =>
        `Su banco devolvió el ${day} el reembolso de ${amount} de ${merchant} en su tarjeta${card}. Pida a ${merchant} que se lo reembolse de otra forma.`,
      noMoney: "Era una prueba: no se ha movido dinero.",
      view: (number) => `Su recibo ${number}, para ver e imprimir:`,
      questions: (merchant, email) => `¿Preguntas? Escriba a ${merchant}: ${email}`,
    },
  },
  pt: {
    receipt: "Recibo",
    notFound: {
      title: "Recibo não encontrado",
      text: "Verifique se você abriu o endereço completo. Um pagamento tem recibo quando o cartão é cobrado; se precisar, peça à loja.",
    },
    test: "Recibo de teste: nenhum dinheiro foi movimentado",
    paid: "Pago",
    partiallyRefunded: "Pago, reembolsado em parte",
    refunded: "Reembolsado por completo",
    refundedTo: (card) => `Reembolsado por completo em ${card}`,
    rows: {
      bought: "Referente a",
      date: "Data",
      card: "Pago com",
      payment: "Pagamento",
      charged: "Cobrado",
      net: "Valor líquido",
      total: "Total",
      left: "Total após reembolsos",
    },
    taxNumber: "Número fiscal",
    amounts: "Valores",
    refundedOn: (day) => `Reembolsado em ${day}`,
    pendingSince: (day) => `Reembolso pendente desde ${day}`,
    contact: (merchant) => `Dúvidas? Fale com ${merchant}`,
    print: "Imprimir",
    poweredBy: "Pagamento com cartão pela Cardlane",
    card: "cartão",
    mail: {
      test: "Teste",
      refund: "Reembolso",
      returned: "Reembolso devolvido",
      subject: (title, merchant, amount) => `${title} de ${merchant}: ${amount}`,
      charged: ({ merchant, amount, card, day }) => `${merchant} cobrou ${amount} no seu cartão${card} em ${day}.`,
      refunded: ({ merchant, amount, card, day }) =>
        `${merchant} reembolsou ${amount} no seu cartão${card} em ${day}. Os bancos levam de 5 a 10 dias para mostrar.`,
      refundReturned: ({ merchant, amount, card, day }) =>
        `O reembolso de ${amount} de ${merchant} no seu cartão${card} foi devolvido pelo seu banco em ${day}. Peça a ${merchant} que reembolse de outra forma.`,
      noMoney: "Isto foi um teste: nenhum dinheiro foi movimentado.",
      view: (number) => `Seu recibo ${number}, para ver e imprimir:`,
      questions: (merchant, email) => `Dúvidas? Escreva para ${merchant}: ${email}`,
    },
  },
  ar: {
    receipt: "إيصال",
    notFound: {
      title: "لم يُعثر على الإيصال",
      text: "تأكد من أنك فتحت العنوان كاملًا. يصدر الإيصال بعد الخصم من البطاقة؛ وإن احتجت إليه فاطلبه من المتجر.",
    },
    test: "إيصال تجريبي: لم تُنقل أي أموال",
    paid: "مدفوع",
    partiallyRefunded: "مدفوع ومُعاد جزئيًا",
    refunded: "أُعيد المبلغ كاملًا",
    refundedTo: (card) => `أُعيد المبلغ كاملًا إلى ${isolate(card)}`,
    rows: {
      bought: "مقابل",
      date: "التاريخ",
      card: "الدفع بواسطة",
      payment: "الدفعة",
      charged: "المخصوم",
      net: "المبلغ دون الضريبة",
      total: "المجموع",
      left: "المجموع بعد المبالغ المُعادة",
    },
    taxNumber: "الرقم الضريبي",
    amounts: "المبالغ",
    refundedOn: (day) => `أُعيد في ${isolate(day)}`,
    pendingSince: (day) => `إعادة قيد التنفيذ منذ ${isolate(day)}`,
    contact: (merchant) => `هل لديك أسئلة؟ تواصل مع ${isolate(merchant)}`,
    print: "طباعة",
    poweredBy: `دفع بالبطاقة عبر ${isolate("Cardlane")}`,
    card: "بطاقة",
    mail: {
      test: "اختبار",
      refund: "إعادة مبلغ",
      returned: "تعذّرت إعادة المبلغ",
      subject: (title, merchant, amount) => `${title} من ${isolate(merchant)}: ${isolate(amount)}`,
      charged: ({ merchant, amount, card, day }) =>
        `خصم ${isolate(merchant)} مبلغ ${isolate(amount)} من بطاقتك${card} في ${isolate(day)}.`,
      refunded: ({ merchant, amount, card, day }) =>
        `أعاد ${isolate(merchant)} مبلغ ${isolate(amount)} إلى بطاقتك${card} في ${isolate(day)}. قد تحتاج البنوك من 5 إلى 10 أيام لإظهاره.`,
      refundReturned: ({ merchant, amount, card, day }) =>
        `ردّ بنكك في ${isolate(day)} مبلغ ${isolate(amount)} الذي أعاده ${isolate(merchant)} إلى بطاقتك${card}. اطلب من ${isolate(merchant)} إعادته بطريقة أخرى.`,
      noMoney: "كان هذا اختبارًا: لم تُنقل أي أموال.",
      view: (number) => `إيصالك ${isolate(number)} للعرض والطباعة:`,
      questions: (merchant, email) => `هل لديك أسئلة؟ راسل ${isolate(merchant)}: ${isolate(email)}`,
    },
  },
};

export const receiptTexts = (locale: CheckoutLocale): ReceiptTexts => TEXTS[locale];

/** Formats for amounts, days and cards of a receipt in this language; `zone` is an IANA name. */
export function receiptFormats(locale: CheckoutLocale, zone: string) {
  const inZone = (options: Intl.DateTimeFormatOptions) => (at: Date) =>
    new Intl.DateTimeFormat(NUMBER_LOCALES[locale], { timeZone: zone, ...options }).format(at);
  const card = ({ brand, last4 }: Card) =>
    brand === null ? `${TEXTS[locale].card} •••• ${last4}` : cardText(brand, last4);
  if (locale === "en") {
    return {
      money: moneyTextWithCode,
      day: (at: Date) => dateText(at, zone),
      time: (at: Date) => fullTimeText(at, zone),
      card,
    };
  }
  return {
    money: (amount: number, currency: string) => moneyText(amount, currency, locale).replace("-", "\u2212"),
    day: inZone({ day: "numeric", month: "long", year: "numeric" }),
    time: inZone({
      weekday: "short",
      day: "numeric",
      month: "long",
      year: "numeric",
      timeZoneName: "short",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    }),
    card,
  };
}
