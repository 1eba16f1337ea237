import { CopyButton } from "@/components/ui/copy-button";

type CodeFigureProps = { title: string; code: string; onCopied?: () => void };

/** Code to copy, under its name. */
export function CodeFigure({ title, code, onCopied }: CodeFigureProps) {
  return (
    <figure className="overflow-hidden rounded-md border bg-raised">
      <figcaption className="flex items-center justify-between border-b py-1 pr-1.5 pl-3 text-xs">
        {title}
        <CopyButton {...(onCopied && { onCopied })} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="max-h-96 overflow-auto" tabIndex={0} aria-label={title}>
        <pre className="w-max px-3 py-2.5 font-mono text-[12.5px] text-ink leading-[1.6]">
          <code>{code}</code>
        </pre>
      </section>
    </figure>
  );
}
