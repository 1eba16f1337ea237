import { CopyButton } from "@/components/ui/copy-button";
import { type CodeLanguage, highlight } from "./highlight";

type CodeBlockProps = {
  code: string;
  language: CodeLanguage;
  title: string;
  /** Scrolls inside instead of growing past this height. */
  tall?: boolean;
};

export function CodeBlock({ code, language, title, tall = false }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-md border bg-raised">
      <figcaption className="flex items-center justify-between gap-2 border-b py-1 pr-1.5 pl-3 text-soft text-xs">
        {title}
        <CopyButton />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={`overflow-auto ${tall ? "max-h-96" : ""}`} tabIndex={0} aria-label={title}>
        <pre className="code w-max px-3 py-2.5 font-mono text-[12.5px] leading-[1.6]">
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: highlight() escapes, and its input is our own */}
          <code dangerouslySetInnerHTML={{ __html: highlight(code, language) }} />
        </pre>
      </section>
    </figure>
  );
}
