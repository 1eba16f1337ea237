import Link from "next/link";
import { CodeBlock } from "@/components/docs/code";
import { DataTable } from "@/components/docs/prose";
import {
  APPEARANCE_PRESETS,
  PART_CONTRAST,
  resolveAppearance,
  TEXT_CONTRAST,
} from "@/lib/contract/checkout/appearance";
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import { Code, MemberTable } from "./script-section";

const MEMBERS = [
  { name: "preset", type: APPEARANCE_PRESETS.join(" | "), about: "Where everything that you leave out comes from." },
  { name: "theme", type: "light | dark | system", about: "system follows the shopper’s device." },
  {
    name: "accent_color",
    type: "#rrggbb",
    about: "Button, focus and links. The button’s text is black or white, whichever is read better.",
  },
  {
    name: "background_color",
    type: "#rrggbb",
    about: "The form’s ground: your page’s. With it, the theme is light or dark as the colour is.",
  },
  { name: "text_color", type: "#rrggbb", about: "Text." },
  { name: "border_radius", type: "0–24", about: "Roundness of fields and button, in pixels." },
  { name: "font_family", type: "string", about: "Fonts that the shopper’s device has; the form loads none." },
];

const EXAMPLE = `form.update({
  appearance: { preset: "soft", accent_color: "#5b3df5", background_color: "#ffffff" },
  locale: "de",
});`;

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });

/** Looks and languages. */
export function LooksSection() {
  return (
    <>
      <h2 id="appearance">Appearance</h2>
      <p>
        Say it once in the dashboard under{" "}
        <Link href="/test/checkout" prefetch={false}>
          Checkout
        </Link>
        , in a session’s <Code>appearance</Code>, or in <Code>mount</Code> and <Code>update</Code>: the later goes
        before the earlier. The words are the API’s everywhere.
      </p>
      <MemberTable caption="Members of appearance" members={MEMBERS} />
      <DataTable
        caption="Presets"
        columns={["Preset", "Theme", "Accent", "Ground", "Radius"]}
        rows={APPEARANCE_PRESETS.map((preset) => {
          const { theme, colors, borderRadius } = resolveAppearance({ preset });
          const { accent, background } = colors[theme === "dark" ? "dark" : "light"];
          return {
            key: preset,
            cells: [
              <code key="preset" className="font-mono text-[12.5px]">
                {preset}
              </code>,
              theme,
              <Swatch key="accent" color={accent} />,
              <Swatch key="ground" color={background} />,
              `${borderRadius} px`,
            ],
          };
        })}
      />
      <p>
        Text must stand out from its ground by {TEXT_CONTRAST} : 1 and the accent by {PART_CONTRAST} : 1 (WCAG 2.2 AA).
        The script warns in the console when they do not, and the dashboard’s editor measures while you choose.
      </p>
      <CodeBlock title="Change it while it is shown" language="html" code={EXAMPLE} />

      <h2 id="languages">Languages</h2>
      <p>
        {CHECKOUT_LOCALES.map((locale, index) => (
          <span key={locale}>
            {index > 0 && ", "}
            {languageNames.of(locale)} (<Code>{locale}</Code>)
          </span>
        ))}
        ; Arabic from right to left. A region may follow (<Code>pt-BR</Code>). With <Code>auto</Code> the form speaks
        the first of the shopper’s languages that it knows, else English. Amounts, errors and 3-D Secure follow.
      </p>
    </>
  );
}

function Swatch({ color }: { color: string }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap font-mono text-[12.5px]">
      <svg viewBox="0 0 12 12" className="size-3 border" aria-hidden="true">
        <rect width="12" height="12" fill={color} />
      </svg>
      {color}
    </span>
  );
}
