import type { Texts } from "./texts-shape";

export const DE: Texts = {
  title: (merchant) => `Zahlung an ${merchant}`,
  frameTitle: "Sichere Kartenzahlung",
  total: "Gesamtbetrag",
  terms: {
    every: { DAYS: "jeden Tag", WEEKS: "jede Woche", MONTHS: "jeden Monat" },
    everyFew: (length) => `alle ${length}`,
    price: (price, every) => `${price} ${every}`,
    trial: (price, length) => `${price} für ${length}`,
    afterTrial: (trial, price) => `${trial}, danach ${price}`,
    withoutTrial:
      "Diese Zahlung gilt für den ersten Abrechnungszeitraum. Die kostenlose Probezeit ist nicht enthalten.",
  },
  cardDetails: "Kartendaten",
  securedBy: "Gesichert durch Cardlane",
  cardData: (merchant) => `Kartendaten gehen direkt an Cardlane; ${merchant} sieht sie nie.`,
  labels: {
    email: "E-Mail-Adresse",
    number: "Kartennummer",
    expiry: "Gültig bis",
    cvv: "Prüfnummer",
    name: "Name auf der Karte",
    postal_code: "Postleitzahl",
  },
  optional: (label) => `${label} (optional)`,
  placeholders: {
    email: "name@example.com",
    number: "1234 1234 1234 1234",
    expiry: "MM / JJ",
    cvv: "CVV",
    name: "Wie auf der Karte angegeben",
    postal_code: "PLZ der Rechnungsadresse",
  },
  hints: {
    cvvThree: "Die letzten 3 Ziffern auf der Rückseite Ihrer Karte",
    cvvFour: "Die 4 Ziffern auf der Vorderseite Ihrer Karte, über der Kartennummer",
    cvvHelp: "Wo Sie die Prüfnummer finden",
  },
  problems: {
    email_missing: "Geben Sie Ihre E-Mail-Adresse ein.",
    email_invalid: "Das ist keine E-Mail-Adresse. Sie braucht ein @, zum Beispiel name@example.com.",
    number_missing: "Geben Sie Ihre Kartennummer ein.",
    number_incomplete: "Die Kartennummer ist unvollständig.",
    number_invalid: "Diese Kartennummer ist ungültig. Prüfen Sie sie auf Tippfehler.",
    expiry_missing: "Geben Sie das Ablaufdatum ein.",
    expiry_incomplete: "Das Ablaufdatum ist unvollständig.",
    expiry_invalid:
      "Dieses Ablaufdatum ist ungültig. Geben Sie zuerst den Monat ein, dann das Jahr, zum Beispiel 03 / 29.",
    expiry_past: "Diese Karte ist abgelaufen. Prüfen Sie das Datum oder verwenden Sie eine andere Karte.",
    cvv_missing: "Geben Sie die Prüfnummer ein.",
    cvv_three_digits: "Die Prüfnummer hat 3 Ziffern.",
    cvv_four_digits: "Die Prüfnummer von American Express hat 4 Ziffern.",
    cvv_invalid: "Diese Prüfnummer ist ungültig.",
    name_missing: "Geben Sie den Namen auf der Karte ein.",
    name_invalid: "Geben Sie den Namen so ein, wie er auf der Karte steht.",
    postal_code_missing: "Geben Sie Ihre Postleitzahl ein.",
    postal_code_or_none: "Geben Sie Ihre Postleitzahl ein, oder einen Strich, wenn es in Ihrem Land keine gibt.",
    postal_code_invalid: "Diese Postleitzahl ist ungültig.",
  },
  problemsFound: (count) => (count === 1 ? "Bitte prüfen Sie ein Feld." : `Bitte prüfen Sie ${count} Felder.`),
  brand: (name) => `Kartenmarke: ${name}`,
  button: {
    pay: (amount) => `${amount} bezahlen`,
    save: "Karte speichern",
    paying: "Wird bezahlt…",
    saving: "Wird gespeichert…",
  },
  notices: {
    card_declined: "Ihre Bank hat die Karte abgelehnt. Verwenden Sie eine andere Karte oder fragen Sie Ihre Bank.",
    insufficient_funds: "Der Verfügungsrahmen der Karte reicht nicht aus. Verwenden Sie eine andere Karte.",
    expired_card:
      "Laut Ihrer Bank ist die Karte abgelaufen. Prüfen Sie das Datum oder verwenden Sie eine andere Karte.",
    incorrect_cvv: "Die Prüfnummer stimmt nicht. Prüfen Sie sie und versuchen Sie es noch einmal.",
    incorrect_number: "Die Kartennummer stimmt nicht. Prüfen Sie sie und versuchen Sie es noch einmal.",
    authentication_failed:
      "Ihre Bank konnte Ihre Identität nicht bestätigen. Versuchen Sie es noch einmal oder verwenden Sie eine andere Karte.",
    processing_error:
      "Ihre Bank konnte die Zahlung nicht verarbeiten. Versuchen Sie es gleich noch einmal oder verwenden Sie eine andere Karte.",
    invalid_card_data: "Einige Kartendaten stimmen nicht. Prüfen Sie die markierten Felder.",
    connection_lost:
      "Verbindung unterbrochen. Wir prüfen, ob die Zahlung erfolgt ist \u2013 bitte bezahlen Sie nicht noch einmal.",
    offline: "Der Zahlungsserver ist nicht erreichbar. Prüfen Sie Ihre Internetverbindung.",
    rate_limited: "Zu viele Versuche in kurzer Zeit. Warten Sie einen Moment und versuchen Sie es dann noch einmal.",
    processor_unavailable: "Dieser Shop kann gerade keine Kartenzahlungen annehmen. Ihre Karte wurde nicht belastet.",
    not_sent: "Die Zahlung wurde nicht gesendet und Ihre Karte nicht belastet. Bitte versuchen Sie es noch einmal.",
  },
  attemptsLeft: (count) => (count === 1 ? "Noch 1 Versuch" : `Noch ${count} Versuche`),
  checking: {
    title: "Ihre Zahlung wird geprüft",
  },
  processing: {
    title: "Ihre Zahlung wird verarbeitet",
    text: "Das kann einen Moment dauern. Lassen Sie diese Seite offen und bezahlen Sie nicht noch einmal.",
  },
  challenge: {
    title: "Zahlung bestätigen",
    text: "Ihre Bank bittet Sie um eine Bestätigung.",
    frameTitle: "Bestätigungsseite Ihrer Bank",
    blocked:
      "Die Seite Ihrer Bank kann hier nicht angezeigt werden. Öffnen Sie sie zum Bestätigen in einem neuen Fenster.",
    openInWindow: "In neuem Fenster öffnen",
  },
  done: {
    title: "Zahlung genehmigt",
    text: (amount, merchant) => `Ihre Zahlung von ${amount} an ${merchant} wurde genehmigt.`,
    savedTitle: "Kartendaten erhalten",
    savedText: (merchant) => `${merchant} kann Ihre Bestellung jetzt abschließen.`,
    reference: "Referenz",
    receipt: "Beleg ansehen",
    returning: (merchant) => `Sie werden zu ${merchant} zurückgeleitet…`,
  },
  closed: {
    expired: {
      title: "Diese Zahlungsseite ist abgelaufen",
      text: "Gehen Sie zurück zum Shop und starten Sie die Zahlung neu. Ihre Karte wurde nicht belastet.",
    },
    cancelled: {
      title: "Diese Zahlung wurde storniert",
      text: "Der Shop hat diese Zahlung storniert. Ihre Karte wurde nicht belastet.",
    },
    attempts_exhausted: {
      title: "Keine Versuche mehr",
      text: "Die Zahlung wurde zu oft abgelehnt. Ihre Karte wurde nicht belastet. Gehen Sie zurück zum Shop, um neu zu beginnen.",
    },
    not_found: {
      title: "Zahlung nicht gefunden",
      text: "Dieser Link ist ungültig. Prüfen Sie, ob er vollständig ist, oder bitten Sie den Shop um einen neuen.",
    },
    returned: {
      title: "Diese Zahlung wurde zurückgegeben",
      text: "Der Shop hat diese Zahlung storniert oder erstattet.",
    },
  },
  originNotAllowed: {
    title: "Diese Seite darf das Zahlungsformular nicht anzeigen",
    text: "Zu Ihrer Sicherheit öffnet sich dieses Zahlungsformular nur auf der Website des Shops.",
  },
  unavailable: {
    title: "Zahlungen sind ausgesetzt",
    text: "Dieser Shop kann im Moment keine Zahlungen annehmen. Es wurde nichts abgebucht.",
  },
  backTo: (merchant) => `Zurück zu ${merchant}`,
  sandbox: {
    banner: "Testmodus: es fließt kein echtes Geld",
    hint: "Bezahlen Sie mit der Karte 4242 4242 4242 4242, einem Datum in der Zukunft und 3 beliebigen Ziffern.",
  },
  preview: "Vorschau: es wird nichts gesendet",
  noScript: "Aktivieren Sie JavaScript in Ihrem Browser, um mit Karte zu bezahlen.",
  status: {
    submitting: "Ihre Zahlung wird gesendet.",
    checking: "Verbindung unterbrochen. Ihre Zahlung wird geprüft. Bezahlen Sie nicht noch einmal.",
    processing: "Ihre Zahlung wird verarbeitet.",
    challenge: "Ihre Bank bittet Sie, die Zahlung zu bestätigen.",
    done: "Fertig. Ihre Zahlung wurde genehmigt.",
  },
};
