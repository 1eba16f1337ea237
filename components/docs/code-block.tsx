import { CopyButton } from "@/components/ui/copy-button";
import { highlight } from "./highlight";

type CodeBlockProps = {
  code: string;
  language: "json" | "sh" | "text";
  title: string;
  /** Scrolls inside instead of growing past this height. */
  tall?: boolean;
};

export function CodeBlock({ code, language, title, tall = false }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-md border bg-raised">
      <figcaption className="flex items-center justify-between gap-2 border-b py-1 pr-1.5 pl-3 text-xs text-soft">
        {title}
        <CopyButton />
      </figcaption>
      <pre
        className={`code overflow-auto px-3 py-2.5 font-mono text-[12.5px] leading-[1.6] ${tall ? "max-h-96" : ""}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label={title}
      >
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: highlight() escapes, and its input is our own */}
        <code dangerouslySetInnerHTML={{ __html: highlight(code, language) }} />
      </pre>
    </figure>
  );
}
