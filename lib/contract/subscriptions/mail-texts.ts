/**
 * Mails about subscriptions in the languages of the payment form. Like receipts, they name the merchant and
 * nothing else.
 */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { isolate } from "@/lib/contract/checkout/localized";

/** Amounts, days, months and cards come formatted. `card` begins with a blank, or is empty if unknown. */
type Sale = { merchant: string; amount: string; card: string };

type MailTexts = {
  trialEnding: {
    subject: (merchant: string, day: string) => string;
    ends: (merchant: string, day: string) => string;
    charged: (sale: Sale) => string;
    nothingDue: string;
  };
  /** The period that a receipt is for. */
  period: (from: string, to: string) => string;
  failed: {
    subject: (merchant: string, amount: string) => string;
    /** The customer must confirm it. */
    confirmSubject: (merchant: string, amount: string) => string;
    notCharged: (sale: Sale, day: string) => string;
    /** Before the link. */
    confirm: string;
    triedAgain: (day: string) => string;
    otherCard: string;
  };
  expiring: {
    subject: (merchant: string) => string;
    expires: (merchant: string, card: string, month: string) => string;
    replace: (merchant: string, day: string) => string;
  };
  cancelled: {
    subject: (merchant: string) => string;
    ended: (merchant: string, day: string) => string;
    unpaid: (merchant: string, day: string) => string;
  };
};

const TEXTS: Record<CheckoutLocale, MailTexts> = {
  en: {
    trialEnding: {
      subject: (merchant, day) => `Your trial with ${merchant} ends on ${day}`,
      ends: (merchant, day) => `Your trial with ${merchant} ends on ${day}.`,
      charged: ({ merchant, amount, card }) =>
        `Your subscription then begins, and ${merchant} charges ${amount} to your ${card.trim() || "card"}.`,
      nothingDue: "Your subscription then begins. Nothing is due for its first period.",
    },
    period: (from, to) => `It pays for your subscription from ${from} to ${to}.`,
    failed: {
      subject: (merchant, amount) => `Your payment to ${merchant} failed: ${amount}`,
      confirmSubject: (merchant, amount) => `Confirm your payment to ${merchant}: ${amount}`,
      notCharged: ({ merchant, amount, card }, day) =>
        `${merchant} could not charge ${amount} for your subscription to your ${card.trim() || "card"} on ${day}.`,
      confirm: "Your bank asks you to confirm this payment. You can do so here:",
      triedAgain: (day) => `We’ll try again on ${day}. To pay now, or with another card:`,
      otherCard: "To keep your subscription, please pay with another card:",
    },
    expiring: {
      subject: (merchant) => `Your card for ${merchant} expires this month`,
      expires: (merchant, card, month) =>
        `Your ${card.trim() || "card"}, which pays for your subscription with ${merchant}, expires at the end of ${month}.`,
      replace: (merchant, day) =>
        `Your next payment is due on ${day}. Ask ${merchant} for a link to change your card before then.`,
    },
    cancelled: {
      subject: (merchant) => `Your subscription with ${merchant} has ended`,
      ended: (merchant, day) =>
        `Your subscription with ${merchant} was cancelled and ended on ${day}. You won’t be charged for it again.`,
      unpaid: (merchant, day) =>
        `Your subscription with ${merchant} ended on ${day}, because its last payment did not succeed. You won’t be charged for it again.`,
    },
  },
  de: {
    trialEnding: {
      subject: (merchant, day) => `Ihre Testphase bei ${merchant} endet am ${day}`,
      ends: (merchant, day) => `Ihre Testphase bei ${merchant} endet am ${day}.`,
      charged: ({ merchant, amount, card }) =>
        `Danach beginnt Ihr Abonnement, und ${merchant} bucht ${amount} von Ihrer Karte${card} ab.`,
      nothingDue: "Danach beginnt Ihr Abonnement. Für den ersten Zeitraum ist nichts zu zahlen.",
    },
    period: (from, to) => `Damit ist Ihr Abonnement vom ${from} bis zum ${to} bezahlt.`,
    failed: {
      subject: (merchant, amount) => `Ihre Zahlung an ${merchant} ist fehlgeschlagen: ${amount}`,
      confirmSubject: (merchant, amount) => `Bestätigen Sie Ihre Zahlung an ${merchant}: ${amount}`,
      notCharged: ({ merchant, amount, card }, day) =>
        `${merchant} konnte am ${day} ${amount} für Ihr Abonnement nicht von Ihrer Karte${card} abbuchen.`,
      confirm: "Ihre Bank bittet Sie, diese Zahlung zu bestätigen. Das können Sie hier tun:",
      triedAgain: (day) => `Wir versuchen es am ${day} erneut. So zahlen Sie jetzt oder mit einer anderen Karte:`,
      otherCard: "Um Ihr Abonnement zu behalten, zahlen Sie bitte mit einer anderen Karte:",
    },
    expiring: {
      subject: (merchant) => `Ihre Karte für ${merchant} läuft diesen Monat ab`,
      expires: (merchant, card, month) =>
        `Ihre Karte${card}, mit der Sie Ihr Abonnement bei ${merchant} bezahlen, läuft Ende ${month} ab.`,
      replace: (merchant, day) =>
        `Ihre nächste Zahlung ist am ${day} fällig. Bitten Sie ${merchant} vorher um einen Link, mit dem Sie Ihre Karte ändern können.`,
    },
    cancelled: {
      subject: (merchant) => `Ihr Abonnement bei ${merchant} ist beendet`,
      ended: (merchant, day) =>
        `Ihr Abonnement bei ${merchant} wurde gekündigt und endete am ${day}. Dafür wird nichts mehr abgebucht.`,
      unpaid: (merchant, day) =>
        `Ihr Abonnement bei ${merchant} endete am ${day}, weil die letzte Zahlung nicht gelang. Dafür wird nichts mehr abgebucht.`,
    },
  },
  fr: {
    trialEnding: {
      subject: (merchant, day) => `Votre essai chez ${merchant} se termine le ${day}`,
      ends: (merchant, day) => `Votre essai chez ${merchant} se termine le ${day}.`,
      charged: ({ merchant, amount, card }) =>
        `Votre abonnement commence alors, et ${merchant} débite ${amount} sur votre carte${card}.`,
      nothingDue: "Votre abonnement commence alors. Rien n’est dû pour la première période.",
    },
    period: (from, to) => `Votre abonnement est ainsi payé du ${from} au ${to}.`,
    failed: {
      subject: (merchant, amount) => `Votre paiement à ${merchant} a échoué : ${amount}`,
      confirmSubject: (merchant, amount) => `Confirmez votre paiement à ${merchant} : ${amount}`,
      notCharged: ({ merchant, amount, card }, day) =>
        `Le ${day}, ${merchant} n’a pas pu débiter ${amount} sur votre carte${card} pour votre abonnement.`,
      confirm: "Votre banque vous demande de confirmer ce paiement. Vous pouvez le faire ici :",
      triedAgain: (day) => `Nous réessaierons le ${day}. Pour payer maintenant, ou avec une autre carte :`,
      otherCard: "Pour garder votre abonnement, payez avec une autre carte :",
    },
    expiring: {
      subject: (merchant) => `Votre carte pour ${merchant} expire ce mois-ci`,
      expires: (merchant, card, month) =>
        `Votre carte${card}, qui paie votre abonnement chez ${merchant}, expire fin ${month}.`,
      replace: (merchant, day) =>
        `Votre prochain paiement est dû le ${day}. D’ici là, demandez à ${merchant} un lien pour changer de carte.`,
    },
    cancelled: {
      subject: (merchant) => `Votre abonnement chez ${merchant} est terminé`,
      ended: (merchant, day) =>
        `Votre abonnement chez ${merchant} a été résilié et s’est terminé le ${day}. Il ne sera plus débité.`,
      unpaid: (merchant, day) =>
        `Votre abonnement chez ${merchant} s’est terminé le ${day}, car le dernier paiement n’a pas abouti. Il ne sera plus débité.`,
    },
  },
  es: {
    trialEnding: {
      subject: (merchant, day) => `Su prueba en ${merchant} termina el ${day}`,
      ends: (merchant, day) => `Su prueba en ${merchant} termina el ${day}.`,
      charged: ({ merchant, amount, card }) =>
        `Entonces comienza su suscripción y ${merchant} cobra ${amount} en su tarjeta${card}.`,
      nothingDue: "Entonces comienza su suscripción. Por el primer período no hay que pagar nada.",
    },
    period: (from, to) => `Con este pago, su suscripción está pagada del ${from} al ${to}.`,
    failed: {
      subject: (merchant, amount) => `Su pago a ${merchant} ha fallado: ${amount}`,
      confirmSubject: (merchant, amount) => `Confirme su pago a ${merchant}: ${amount}`,
      notCharged: ({ merchant, amount, card }, day) =>
        `${merchant} no pudo cobrar ${amount} por su suscripción en su tarjeta${card} el ${day}.`,
      confirm: "Su banco le pide que confirme este pago. Puede hacerlo aquí:",
      triedAgain: (day) => `Lo intentaremos de nuevo el ${day}. Para pagar ahora, o con otra tarjeta:`,
      otherCard: "Para conservar su suscripción, pague con otra tarjeta:",
    },
    expiring: {
      subject: (merchant) => `Su tarjeta para ${merchant} caduca este mes`,
      expires: (merchant, card, month) =>
        `Su tarjeta${card}, con la que paga su suscripción en ${merchant}, caduca a finales de ${month}.`,
      replace: (merchant, day) =>
        `Su próximo pago vence el ${day}. Antes de esa fecha, pida a ${merchant} un enlace para cambiar de tarjeta.`,
    },
    cancelled: {
      subject: (merchant) => `Su suscripción en ${merchant} ha terminado`,
      ended: (merchant, day) =>
        `Su suscripción en ${merchant} se canceló y terminó el ${day}. No se le cobrará nada más por ella.`,
      unpaid: (merchant, day) =>
        `Su suscripción en ${merchant} terminó el ${day}, porque el último pago no se completó. No se le cobrará nada más por ella.`,
    },
  },
  pt: {
    trialEnding: {
      subject: (merchant, day) => `Seu período de teste em ${merchant} termina em ${day}`,
      ends: (merchant, day) => `Seu período de teste em ${merchant} termina em ${day}.`,
      charged: ({ merchant, amount, card }) =>
        `Então sua assinatura começa, e ${merchant} cobra ${amount} no seu cartão${card}.`,
      nothingDue: "Então sua assinatura começa. Não há nada a pagar pelo primeiro período.",
    },
    period: (from, to) => `Com isso, sua assinatura está paga de ${from} a ${to}.`,
    failed: {
      subject: (merchant, amount) => `Seu pagamento a ${merchant} falhou: ${amount}`,
      confirmSubject: (merchant, amount) => `Confirme seu pagamento a ${merchant}: ${amount}`,
      notCharged: ({ merchant, amount, card }, day) =>
        `${merchant} não conseguiu cobrar ${amount} pela sua assinatura no seu cartão${card} em ${day}.`,
      confirm: "Seu banco pede que você confirme este pagamento. Você pode fazer isso aqui:",
      triedAgain: (day) => `Tentaremos de novo em ${day}. Para pagar agora, ou com outro cartão:`,
      otherCard: "Para manter sua assinatura, pague com outro cartão:",
    },
    expiring: {
      subject: (merchant) => `Seu cartão para ${merchant} vence este mês`,
      expires: (merchant, card, month) =>
        `Seu cartão${card}, que paga sua assinatura em ${merchant}, vence no fim de ${month}.`,
      replace: (merchant, day) =>
        `Seu próximo pagamento será em ${day}. Antes disso, peça a ${merchant} um link para trocar o cartão.`,
    },
    cancelled: {
      subject: (merchant) => `Sua assinatura em ${merchant} terminou`,
      ended: (merchant, day) =>
        `Sua assinatura em ${merchant} foi cancelada e terminou em ${day}. Ela não será mais cobrada.`,
      unpaid: (merchant, day) =>
        `Sua assinatura em ${merchant} terminou em ${day}, porque o último pagamento não foi concluído. Ela não será mais cobrada.`,
    },
  },
  ar: {
    trialEnding: {
      subject: (merchant, day) => `تنتهي تجربتك لدى ${isolate(merchant)} في ${isolate(day)}`,
      ends: (merchant, day) => `تنتهي تجربتك لدى ${isolate(merchant)} في ${isolate(day)}.`,
      charged: ({ merchant, amount, card }) =>
        `يبدأ اشتراكك بعدها، ويخصم ${isolate(merchant)} مبلغ ${isolate(amount)} من بطاقتك${card}.`,
      nothingDue: "يبدأ اشتراكك بعدها. لا يُستحق أي مبلغ عن الفترة الأولى.",
    },
    period: (from, to) => `هذا المبلغ عن اشتراكك من ${isolate(from)} إلى ${isolate(to)}.`,
    failed: {
      subject: (merchant, amount) => `تعذّر الدفع إلى ${isolate(merchant)}: ${isolate(amount)}`,
      confirmSubject: (merchant, amount) => `أكّد دفعتك إلى ${isolate(merchant)}: ${isolate(amount)}`,
      notCharged: ({ merchant, amount, card }, day) =>
        `لم يتمكن ${isolate(merchant)} في ${isolate(day)} من خصم ${isolate(amount)} عن اشتراكك من بطاقتك${card}.`,
      confirm: "يطلب بنكك تأكيد هذه الدفعة. يمكنك تأكيدها هنا:",
      triedAgain: (day) => `سنحاول مجددًا في ${isolate(day)}. للدفع الآن أو ببطاقة أخرى:`,
      otherCard: "للحفاظ على اشتراكك، ادفع ببطاقة أخرى:",
    },
    expiring: {
      subject: (merchant) => `تنتهي صلاحية بطاقتك لدى ${isolate(merchant)} هذا الشهر`,
      expires: (merchant, card, month) =>
        `تنتهي صلاحية بطاقتك${card}، التي تدفع بها اشتراكك لدى ${isolate(merchant)}، في نهاية ${isolate(month)}.`,
      replace: (merchant, day) =>
        `موعد دفعتك القادمة ${isolate(day)}. اطلب من ${isolate(merchant)} قبل ذلك رابطًا لتغيير بطاقتك.`,
    },
    cancelled: {
      subject: (merchant) => `انتهى اشتراكك لدى ${isolate(merchant)}`,
      ended: (merchant, day) =>
        `أُلغي اشتراكك لدى ${isolate(merchant)} وانتهى في ${isolate(day)}. لن يُخصم منك أي مبلغ عنه بعد الآن.`,
      unpaid: (merchant, day) =>
        `انتهى اشتراكك لدى ${isolate(merchant)} في ${isolate(day)} لأن الدفعة الأخيرة لم تنجح. لن يُخصم منك أي مبلغ عنه بعد الآن.`,
    },
  },
};

export const mailTexts = (locale: CheckoutLocale): MailTexts => TEXTS[locale];
