"use client";

import { SlidersHorizontal } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId, useOptimistic, useState, useTransition } from "react";
import { Select } from "@/components/ui/field";
import {
  APPEARANCES,
  BUTTONS,
  CAPTURES,
  checkoutPath,
  DEMO_CURRENCIES,
  LANGUAGES,
  type Look,
  ORDER_MODES,
  type Order,
  QUANTITIES,
  readLook,
  readOrder,
} from "./order";

const LANGUAGE_NAMES: Record<Look["language"], string> = {
  auto: "Your browser’s",
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  pt: "Português",
  ar: "العربية",
};

type Setting = { name: string; label: string; choices: readonly string[]; text?: (choice: string) => string };

const capital = (text: string) => text[0]?.toUpperCase() + text.slice(1);

/** Price and terms: changing one of these starts a new order. */
const OF_THE_ORDER: readonly Setting[] = [
  { name: "currency", label: "Currency", choices: DEMO_CURRENCIES },
  { name: "quantity", label: "Quantity", choices: QUANTITIES.map(String) },
  { name: "capture", label: "Capture", choices: CAPTURES, text: capital },
];
const OF_THE_FORM: readonly Setting[] = [
  { name: "mode", label: "Mode", choices: ORDER_MODES, text: capital },
  { name: "language", label: "Language", choices: LANGUAGES, text: (one) => LANGUAGE_NAMES[one as Look["language"]] },
  {
    name: "appearance",
    label: "Appearance",
    choices: APPEARANCES,
    text: (one) => (one === "shop" ? "The shop’s" : capital(one)),
  },
  {
    name: "button",
    label: "Pay button",
    choices: BUTTONS,
    text: (one) => (one === "shop" ? "The shop’s" : "The form’s"),
  },
];

/** A subscription has its price and terms from the plan, and is made by the session alone. */
const settingsOf = ({ product }: Order): readonly Setting[] =>
  product === "monthly" ? OF_THE_FORM.filter(({ name }) => name !== "mode") : [...OF_THE_ORDER, ...OF_THE_FORM];

/** Settings for developers to try: the session's and the form's options. */
export function TryBar({ order, look }: { order: Order; look: Look }) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  // A second choice builds on the first, even before the page has loaded with that one.
  const [values, setValues] = useOptimistic<Record<string, unknown>>({ ...order, ...look });

  function choose(name: string, value: string) {
    const keepsOrder = OF_THE_FORM.some((setting) => setting.name === name);
    const next = { ...values, [name]: value, id: keepsOrder ? values.id : null };
    startTransition(() => {
      setValues(next);
      router.replace(checkoutPath(readOrder({ ...next, order: next.id }), readLook(next)), { scroll: false });
    });
  }

  return (
    <section aria-labelledby={`${id}-title`} className="border bg-raised" aria-busy={isPending}>
      <div className="flex items-center justify-between gap-3 px-4 pt-2.5 pb-2 lg:pb-0">
        <h2 id={`${id}-title`} className="shop-label">
          Try it
        </h2>
        <button
          type="button"
          className="button button-ghost button-sm lg:hidden"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <SlidersHorizontal aria-hidden="true" />
          {isOpen ? "Hide the options" : "Options"}
        </button>
      </div>
      <div
        id={id}
        className={`${isOpen ? "grid" : "hidden"} grid-cols-2 gap-x-3 gap-y-2 px-4 pt-1 pb-3.5 sm:grid-cols-4 lg:grid xl:grid-cols-7`}
      >
        {settingsOf(order).map(({ name, label, choices, text }) => (
          <label key={name} htmlFor={`${id}-${name}`} className="min-w-0 text-[12px] text-soft">
            <span className="mb-0.5 block">{label}</span>
            <Select
              id={`${id}-${name}`}
              value={String(values[name])}
              onChange={(event) => choose(name, event.currentTarget.value)}
            >
              {choices.map((choice) => (
                <option key={choice} value={choice}>
                  {text ? text(choice) : choice}
                </option>
              ))}
            </Select>
          </label>
        ))}
      </div>
    </section>
  );
}
