import { isolate } from "@/lib/contract/checkout/localized";
import type { Texts } from "./texts-shape";

export const AR: Texts = {
  title: (merchant) => `الدفع إلى ${isolate(merchant)}`,
  frameTitle: "دفع آمن بالبطاقة",
  total: "المجموع",
  dueToday: "المستحق اليوم",
  cancelAnyTime: (merchant) => `يمكنك الإلغاء في أي وقت: تواصل مع ${isolate(merchant)}.`,
  saveCard: "حفظ بطاقتك",
  cardDetails: "بيانات البطاقة",
  securedBy: `محمي بواسطة ${isolate("Cardlane")}`,
  cardData: (merchant) => `تُرسل بيانات البطاقة مباشرةً إلى ${isolate("Cardlane")}؛ ولا يراها ${isolate(merchant)} أبدًا.`,
  labels: {
    email: "البريد الإلكتروني",
    number: "رقم البطاقة",
    expiry: "تاريخ الانتهاء",
    cvv: "رمز الأمان",
    name: "الاسم على البطاقة",
    postal_code: "الرمز البريدي",
    consent: "الموافقة",
  },
  optional: (label) => `${label} (اختياري)`,
  placeholders: {
    email: "name@example.com",
    number: "1234 1234 1234 1234",
    expiry: "MM / YY",
    cvv: "CVV",
    name: "كما هو مكتوب على البطاقة",
    postal_code: "الرمز البريدي لعنوان الفوترة",
  },
  hints: {
    cvvThree: "آخر 3 أرقام على ظهر بطاقتك",
    cvvFour: "الأرقام الأربعة على وجه بطاقتك، فوق رقم البطاقة",
    cvvHelp: "أين أجد رمز الأمان",
  },
  problems: {
    email_missing: "أدخل بريدك الإلكتروني.",
    email_invalid: `هذا ليس عنوان بريد إلكتروني. لا بد من علامة @، مثل ${isolate("name@example.com")}.`,
    number_missing: "أدخل رقم بطاقتك.",
    number_incomplete: "رقم البطاقة غير مكتمل.",
    number_invalid: "رقم البطاقة غير صالح. تحقق من كتابته.",
    expiry_missing: "أدخل تاريخ انتهاء البطاقة.",
    expiry_incomplete: "تاريخ الانتهاء غير مكتمل.",
    expiry_invalid: `تاريخ الانتهاء غير صالح. أدخل الشهر أولًا ثم السنة، مثل ${isolate("03 / 29")}.`,
    expiry_past: "انتهت صلاحية هذه البطاقة. تحقق من التاريخ أو استخدم بطاقة أخرى.",
    cvv_missing: "أدخل رمز الأمان.",
    cvv_three_digits: "يتكون رمز الأمان من 3 أرقام.",
    cvv_four_digits: `يتكون رمز أمان ${isolate("American Express")} من 4 أرقام.`,
    cvv_invalid: "رمز الأمان غير صالح.",
    name_missing: "أدخل الاسم المكتوب على البطاقة.",
    name_invalid: "أدخل الاسم كما هو مكتوب على البطاقة.",
    postal_code_missing: "أدخل رمزك البريدي.",
    postal_code_or_none: "أدخل رمزك البريدي، أو شرطة إن لم يكن في بلدك رموز بريدية.",
    postal_code_invalid: "الرمز البريدي غير صالح.",
    consent_missing: "حدّد هذا المربع للمتابعة.",
  },
  problemsFound: (count) =>
    count === 1 ? "يرجى مراجعة حقل واحد." : count === 2 ? "يرجى مراجعة حقلين." : `يرجى مراجعة ${count} حقول.`,
  brand: (name) => `شبكة البطاقة: ${isolate(name)}`,
  button: {
    pay: (amount) => `ادفع ${isolate(amount)}`,
    save: "حفظ البطاقة",
    startTrial: "بدء الفترة التجريبية المجانية",
    paying: "جارٍ الدفع…",
    saving: "جارٍ الحفظ…",
  },
  notices: {
    card_declined: "رفض البنك بطاقتك. جرّب بطاقة أخرى أو تواصل مع البنك.",
    insufficient_funds: "الرصيد المتاح على البطاقة غير كافٍ. جرّب بطاقة أخرى.",
    expired_card: "أفاد البنك بأن صلاحية البطاقة قد انتهت. تحقق من التاريخ أو جرّب بطاقة أخرى.",
    incorrect_cvv: "رمز الأمان غير صحيح. تحقق منه وحاول مجددًا.",
    incorrect_number: "رقم البطاقة غير صحيح. تحقق منه وحاول مجددًا.",
    authentication_failed: "تعذّر على البنك التحقق من هويتك. حاول مجددًا أو استخدم بطاقة أخرى.",
    processing_error: "تعذّر على البنك معالجة الدفعة. حاول مجددًا بعد قليل أو استخدم بطاقة أخرى.",
    invalid_card_data: "بعض بيانات البطاقة غير صحيحة. راجع الحقول المحددة.",
    connection_lost: "انقطع الاتصال. نتحقق الآن مما إذا كانت الدفعة قد تمت، فلا تدفع مرة أخرى.",
    offline: "يتعذّر الوصول إلى خادم الدفع. تحقق من اتصالك بالإنترنت.",
    rate_limited: "محاولات كثيرة في وقت قصير. انتظر قليلًا ثم حاول مجددًا.",
    processor_unavailable: "لا يستطيع هذا المتجر قبول الدفع بالبطاقة حاليًا. لم يُخصم منك أي مبلغ.",
    not_sent: "لم تُرسل الدفعة ولم يُخصم منك أي مبلغ. يرجى المحاولة مجددًا.",
    trial_used:
      "سبق أن استُخدمت فترة تجريبية لهذه الخطة بهذه البطاقة أو لهذا العميل، لذا يختلف سعر اليوم. لم يُخصم أي مبلغ. اقرأ الشروط الجديدة ووافق عليها للمتابعة.",
  },
  attemptsLeft: (count) =>
    count === 1
      ? "بقيت محاولة واحدة"
      : count === 2
        ? "بقيت محاولتان"
        : count >= 3 && count <= 10
          ? `بقيت ${count} محاولات`
          : `بقيت ${count} محاولة`,
  checking: {
    title: "نتحقق من دفعتك",
  },
  processing: {
    title: "تجري معالجة دفعتك",
    text: "قد يستغرق ذلك لحظات. أبقِ هذه الصفحة مفتوحة ولا تدفع مرة أخرى.",
  },
  challenge: {
    title: "أكّد دفعتك",
    text: "يطلب منك البنك تأكيد هويتك.",
    frameTitle: "صفحة التأكيد الخاصة ببنكك",
    blocked: "لا يمكن عرض صفحة البنك هنا. افتحها في نافذة جديدة للتأكيد.",
    openInWindow: "فتح في نافذة جديدة",
  },
  done: {
    title: "تمت الموافقة على الدفعة",
    text: (amount, merchant) => `تمت الموافقة على دفع ${isolate(amount)} إلى ${isolate(merchant)}.`,
    savedTitle: "تم استلام بيانات البطاقة",
    savedText: (merchant) => `يمكن الآن لـ ${isolate(merchant)} إتمام طلبك.`,
    storedTitle: "تم حفظ البطاقة",
    storedText: (merchant) => `يمكن لـ ${isolate(merchant)} خصم مدفوعات لاحقة من هذه البطاقة.`,
    trialTitle: "بدأت فترتك التجريبية المجانية",
    reference: "المرجع",
    receipt: "عرض الإيصال",
    returning: (merchant) => `جارٍ إعادتك إلى ${isolate(merchant)}…`,
  },
  closed: {
    expired: {
      title: "انتهت صلاحية صفحة الدفع",
      text: "عُد إلى المتجر وابدأ الدفع من جديد. لم يُخصم منك أي مبلغ.",
    },
    cancelled: {
      title: "أُلغيت هذه الدفعة",
      text: "ألغى المتجر هذه الدفعة. لم يُخصم منك أي مبلغ.",
    },
    attempts_exhausted: {
      title: "لم تبقَ أي محاولات",
      text: "رُفضت الدفعة مرات كثيرة. لم يُخصم منك أي مبلغ. عُد إلى المتجر للبدء من جديد.",
    },
    not_found: {
      title: "لم يُعثر على الدفعة",
      text: "هذا الرابط غير صالح. تأكد من أنك فتحته كاملًا أو اطلب رابطًا جديدًا من المتجر.",
    },
    returned: {
      title: "أُعيد هذا المبلغ",
      text: "ألغى المتجر هذه الدفعة أو أعاد مبلغها.",
    },
  },
  originNotAllowed: {
    title: "لا يُسمح لهذه الصفحة بعرض نموذج الدفع",
    text: "حرصًا على سلامتك، لا يُفتح نموذج الدفع هذا إلا على موقع المتجر نفسه.",
  },
  unavailable: {
    title: "الدفع متوقف مؤقتًا",
    text: "لا يمكن لهذا المتجر قبول المدفوعات في الوقت الحالي. لم يُخصم منك أي مبلغ.",
  },
  backTo: (merchant) => `العودة إلى ${isolate(merchant)}`,
  sandbox: {
    banner: "وضع الاختبار: لا تُنقل أموال حقيقية",
    hint: `ادفع بالبطاقة ${isolate("4242 4242 4242 4242")} مع أي تاريخ مستقبلي وأي 3 أرقام.`,
  },
  preview: "معاينة: لا يُرسل أي شيء",
  noScript: "فعّل JavaScript في متصفحك للدفع بالبطاقة.",
  status: {
    submitting: "جارٍ إرسال دفعتك.",
    checking: "انقطع الاتصال. نتحقق من دفعتك. لا تدفع مرة أخرى.",
    processing: "تجري معالجة دفعتك.",
    challenge: "يطلب منك البنك تأكيد الدفعة.",
    done: "تم. تمت الموافقة على دفعتك.",
  },
};
