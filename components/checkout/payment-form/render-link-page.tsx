/** @jsxImportSource preact */
import type { VNode } from "preact";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import type { CheckoutLocale, CheckoutSale, LinkProblem } from "@/lib/contract/checkout/checkout";
import { isolate } from "@/lib/contract/checkout/localized";
import { CardlaneMark, CheckIcon } from "./icons";
import { Summary } from "./pay-app";
import { renderDocument, renderMessagePage, type Stylesheet } from "./render-document";

type Screen = { title: string; text: string };

/** Texts used only on the link page, kept out of the form's bundle. */
type LinkTexts = {
  opening: string;
  proceed: string;
  /** This browser has already paid here, so this would be a second payment. */
  paidBefore: string;
  seePayment: string;
  /** The same for the link of a recurring plan, whose trial may have cost nothing. */
  subscribedBefore: string;
  seeSubscription: string;
  /** The link is deactivated, or its plan isn't for sale. */
  over: Screen;
  expired: Screen;
  paid: Screen;
  /** Explains where to find the receipt of a paid link. */
  receipt: (merchant: string) => string;
  tooMany: Screen;
  /** An invoice, within a day. */
  triedTooOften: Screen;
  /** In test mode, while the clock advances. */
  clockMoves: Screen;
  /** Another site tried to skip the link's own page. */
  elsewhere: Screen;
};

const TEXTS: Record<CheckoutLocale, LinkTexts> = {
  en: {
    opening: "Opening the payment form…",
    proceed: "Continue to payment",
    paidBefore: "You’ve already paid here in this browser. Continue only if you want to pay again.",
    seePayment: "View your payment",
    subscribedBefore: "You’ve already subscribed here in this browser. Continue only if you want another subscription.",
    seeSubscription: "View your subscription",
    over: {
      title: "This is no longer available",
      text: "The shop no longer sells this here.",
    },
    expired: { title: "This link has expired", text: "Ask the shop for a new one." },
    paid: {
      title: "This link has been paid",
      text: "It was for a single payment, which went through. You owe nothing more.",
    },
    receipt: (merchant) =>
      `Did you pay it? Open the link in the browser that you paid with to see the receipt, or ask ${merchant} for it.`,
    tooMany: {
      title: "Too many visits at once",
      text: "Wait a minute, then open the link again.",
    },
    triedTooOften: { title: "Too many attempts", text: "Try again tomorrow, or ask the shop for another way to pay." },
    clockMoves: { title: "The shop’s test clock is moving", text: "Wait a moment, then open the link again." },
    elsewhere: { title: "Open the link again", text: "For your safety, payments start on the link’s own page." },
  },
  de: {
    opening: "Das Zahlungsformular wird geöffnet …",
    proceed: "Weiter zur Zahlung",
    paidBefore: "Sie haben hier mit diesem Browser bereits bezahlt. Fahren Sie nur fort, um noch einmal zu bezahlen.",
    seePayment: "Ihre Zahlung ansehen",
    subscribedBefore:
      "Sie haben hier mit diesem Browser bereits ein Abo abgeschlossen. Fahren Sie nur fort, um ein weiteres abzuschließen.",
    seeSubscription: "Ihr Abo ansehen",
    over: {
      title: "Nicht mehr erhältlich",
      text: "Der Shop verkauft dies hier nicht mehr.",
    },
    expired: {
      title: "Dieser Link ist abgelaufen",
      text: "Bitten Sie den Shop um einen neuen.",
    },
    paid: {
      title: "Dieser Link ist bezahlt",
      text: "Er galt für eine Zahlung, und die ist erfolgt. Es ist nichts mehr offen.",
    },
    receipt: (merchant) =>
      `Haben Sie bezahlt? Öffnen Sie den Link in dem Browser, mit dem Sie bezahlt haben, um den Beleg zu sehen, oder bitten Sie ${merchant} darum.`,
    tooMany: {
      title: "Zu viele Aufrufe auf einmal",
      text: "Warten Sie eine Minute und öffnen Sie den Link noch einmal.",
    },
    triedTooOften: {
      title: "Zu viele Versuche",
      text: "Versuchen Sie es morgen noch einmal, oder fragen Sie den Shop, wie Sie sonst bezahlen können.",
    },
    clockMoves: {
      title: "Die Testuhr des Shops läuft gerade vor",
      text: "Warten Sie einen Moment und öffnen Sie den Link dann erneut.",
    },
    elsewhere: {
      title: "Öffnen Sie den Link selbst",
      text: "Zu Ihrer Sicherheit beginnt eine Zahlung auf der Seite des Links.",
    },
  },
  fr: {
    opening: "Ouverture du formulaire de paiement…",
    proceed: "Continuer vers le paiement",
    paidBefore: "Vous avez déjà payé ici avec ce navigateur. Continuez seulement pour payer une nouvelle fois.",
    seePayment: "Voir votre paiement",
    subscribedBefore:
      "Vous êtes déjà abonné ici avec ce navigateur. Continuez seulement pour souscrire un autre abonnement.",
    seeSubscription: "Voir votre abonnement",
    over: { title: "Ce n’est plus disponible", text: "La boutique ne vend plus ceci ici." },
    expired: { title: "Ce lien a expiré", text: "Demandez-en un nouveau à la boutique." },
    paid: {
      title: "Ce lien a été payé",
      text: "Il servait à un seul paiement, qui a abouti. Vous ne devez plus rien.",
    },
    receipt: (merchant) =>
      `C’est vous qui avez payé ? Ouvrez le lien dans le navigateur du paiement pour voir le reçu, ou demandez-le à ${merchant}.`,
    tooMany: {
      title: "Trop de visites à la fois",
      text: "Patientez une minute, puis ouvrez de nouveau le lien.",
    },
    triedTooOften: {
      title: "Trop de tentatives",
      text: "Réessayez demain, ou demandez à la boutique un autre moyen de payer.",
    },
    clockMoves: {
      title: "L’horloge de test de la boutique avance",
      text: "Attendez un instant, puis ouvrez de nouveau le lien.",
    },
    elsewhere: {
      title: "Ouvrez le lien lui-même",
      text: "Pour votre sécurité, un paiement commence sur la page du lien.",
    },
  },
  es: {
    opening: "Abriendo el formulario de pago…",
    proceed: "Continuar al pago",
    paidBefore: "Ya ha pagado aquí con este navegador. Continúe solo para pagar otra vez.",
    seePayment: "Ver su pago",
    subscribedBefore: "Ya se ha suscrito aquí con este navegador. Continúe solo si quiere otra suscripción.",
    seeSubscription: "Ver su suscripción",
    over: { title: "Ya no está disponible", text: "La tienda ya no vende esto aquí." },
    expired: { title: "Este enlace ha caducado", text: "Pida uno nuevo a la tienda." },
    paid: {
      title: "Este enlace ya se ha pagado",
      text: "Era para un solo pago, que se ha realizado. No debe nada más.",
    },
    receipt: (merchant) =>
      `¿Lo pagó usted? Abra el enlace en el navegador con el que pagó para ver el recibo, o pídalo a ${merchant}.`,
    tooMany: {
      title: "Demasiadas visitas a la vez",
      text: "Espere un minuto y abra de nuevo el enlace.",
    },
    triedTooOften: {
      title: "Demasiados intentos",
      text: "Vuelva a intentarlo mañana o pida a la tienda otra forma de pagar.",
    },
    clockMoves: {
      title: "El reloj de prueba de la tienda está avanzando",
      text: "Espere un momento y vuelva a abrir el enlace.",
    },
    elsewhere: { title: "Abra el propio enlace", text: "Por su seguridad, un pago empieza en la página del enlace." },
  },
  pt: {
    opening: "Abrindo o formulário de pagamento…",
    proceed: "Continuar para o pagamento",
    paidBefore: "Você já pagou aqui com este navegador. Continue somente para pagar outra vez.",
    seePayment: "Ver seu pagamento",
    subscribedBefore:
      "Você já fez uma assinatura aqui com este navegador. Continue somente se quiser outra assinatura.",
    seeSubscription: "Ver sua assinatura",
    over: { title: "Não está mais disponível", text: "A loja não vende mais isto aqui." },
    expired: { title: "Este link expirou", text: "Peça um novo à loja." },
    paid: { title: "Este link já foi pago", text: "Era para um único pagamento, que foi feito. Nada mais é devido." },
    receipt: (merchant) =>
      `Foi você quem pagou? Abra o link no navegador em que pagou para ver o recibo ou peça-o a ${merchant}.`,
    tooMany: {
      title: "Muitas visitas ao mesmo tempo",
      text: "Espere um minuto e abra o link de novo.",
    },
    triedTooOften: { title: "Muitas tentativas", text: "Tente de novo amanhã ou peça à loja outra forma de pagar." },
    clockMoves: {
      title: "O relógio de teste da loja está avançando",
      text: "Espere um momento e abra o link de novo.",
    },
    elsewhere: { title: "Abra o próprio link", text: "Para sua segurança, um pagamento começa na página do link." },
  },
  ar: {
    opening: "جارٍ فتح نموذج الدفع…",
    proceed: "المتابعة إلى الدفع",
    paidBefore: "لقد دفعت هنا من هذا المتصفح من قبل. تابع فقط إذا أردت الدفع مرة أخرى.",
    seePayment: "عرض دفعتك",
    subscribedBefore: "لقد اشتركت هنا من هذا المتصفح من قبل. تابع فقط إذا أردت اشتراكًا آخر.",
    seeSubscription: "عرض اشتراكك",
    over: { title: "لم يعد هذا متاحًا", text: "لم يعد المتجر يبيع هذا هنا." },
    expired: { title: "انتهت صلاحية هذا الرابط", text: "اطلب رابطًا جديدًا من المتجر." },
    paid: { title: "دُفع هذا الرابط", text: "كان لدفعة واحدة وقد تمت. لا يُستحق عليك شيء آخر." },
    receipt: (merchant) =>
      `هل أنت من دفع؟ افتح الرابط في المتصفح الذي دفعت به لرؤية الإيصال، أو اطلبه من ${isolate(merchant)}.`,
    tooMany: { title: "زيارات كثيرة في وقت واحد", text: "انتظر دقيقة ثم افتح الرابط مجددًا." },
    triedTooOften: { title: "محاولات كثيرة", text: "حاول مجددًا غدًا أو اطلب من المتجر طريقة أخرى للدفع." },
    clockMoves: { title: "ساعة الاختبار لدى المتجر تتقدم الآن", text: "انتظر لحظة ثم افتح الرابط مجددًا." },
    elsewhere: { title: "افتح الرابط نفسه", text: "حفاظًا على سلامتك، يبدأ الدفع من صفحة الرابط." },
  },
};

type Refusal = {
  problem: LinkProblem;
  locale: CheckoutLocale;
  paidSale: CheckoutSale | null;
  nonce: string;
  stylesheet: Stylesheet;
};

/** Page that explains why there is no payment form. */
export function renderLinkProblem({ problem, locale, paidSale, nonce, stylesheet }: Refusal): string {
  if (paidSale) return renderPaidLink({ sale: paidSale, nonce, stylesheet });
  const { over, expired, paid, tooMany, triedTooOften, clockMoves, elsewhere } = TEXTS[locale];
  const { closed, unavailable } = textsOf(locale);
  const screens = {
    over,
    expired,
    paid,
    too_many: tooMany,
    tried_too_often: triedTooOften,
    clock_moves: clockMoves,
    elsewhere,
  };
  const screen = { ...screens, not_found: closed.not_found, suspended: unavailable }[problem];
  return renderMessagePage({ ...screen, locale, nonce, stylesheet });
}

/** A paid single-use link, for visitors who aren't known to have paid it. */
function renderPaidLink({ sale, ...parts }: Omit<SalePage, "children">): string {
  const { paid, receipt } = TEXTS[sale.locale];
  return renderSalePage({
    ...parts,
    sale,
    children: (
      <section class="outcome" aria-labelledby="step">
        <span class="badge good">
          <CheckIcon />
        </span>
        <h2 id="step">{paid.title}</h2>
        <p class="soft">{paid.text}</p>
        <p class="soft">{receipt(sale.merchant_name)}</p>
      </section>
    ),
  });
}

/** A prerendered page must not open a session yet. */
const GO_ON = `const go = () => document.forms[0].submit();
if (document.prerendering) document.addEventListener("prerenderingchange", go, { once: true });
else go();`;

type LinkPage = {
  sale: CheckoutSale;
  /** This browser's earlier payment here: require a click, because going back must not pay twice. */
  paidBefore: string | null;
  /** Address that creates the session. */
  action: string;
  nonce: string;
  stylesheet: Stylesheet;
};

/**
 * A payment link's page. It continues to the payment form by itself, unless this browser has already paid
 * here. Rendering it writes nothing, so previews and crawlers open no session.
 */
export function renderLinkPage({ sale, paidBefore, action, nonce, stylesheet }: LinkPage): string {
  const { locale } = sale;
  const own = TEXTS[locale];
  const isSubscribing = sale.offer.terms !== null;
  const before = isSubscribing ? own.subscribedBefore : own.paidBefore;
  return renderSalePage({
    sale,
    nonce,
    stylesheet,
    ...(paidBefore === null && { inlineScript: GO_ON }),
    children: (
      <section aria-labelledby="step">
        <noscript>
          <p class="no-script">{textsOf(locale).noScript}</p>
        </noscript>
        <h2 id="step" class="step-title">
          {paidBefore === null ? own.opening : before}
        </h2>
        <form method="post" action={action}>
          <button type="submit" class="button">
            {own.proceed}
          </button>
        </form>
        {paidBefore !== null && (
          <p class="earlier">
            <a href={paidBefore}>{isSubscribing ? own.seeSubscription : own.seePayment}</a>
          </p>
        )}
      </section>
    ),
  });
}

type SalePage = {
  sale: CheckoutSale;
  nonce: string;
  stylesheet: Stylesheet;
  inlineScript?: string;
  children: VNode;
};

/** Page with the merchant, item and amount beside the given content. */
function renderSalePage({ sale, nonce, stylesheet, inlineScript, children }: SalePage): string {
  const { locale } = sale;
  const texts = textsOf(locale);
  return renderDocument({
    title: texts.title(sale.merchant_name),
    locale,
    appearance: sale.appearance,
    nonce,
    stylesheet,
    layout: "page",
    referrer: "same-origin",
    inlineScript,
    body: (
      <div class="layout">
        {sale.environment === "sandbox" && (
          <aside class="ribbon">
            <strong>{texts.sandbox.banner}</strong>
          </aside>
        )}
        <Summary view={{ page: sale, offer: sale.offer, locale }} embedded={false} />
        <main class="pane">{children}</main>
        <footer class="powered">
          <CardlaneMark />
          {texts.securedBy}
        </footer>
      </div>
    ),
  });
}
