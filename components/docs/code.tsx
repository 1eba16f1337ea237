import { CopyButton } from "@/components/ui/copy-button";

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

type CurlRequest = {
  method: string;
  url: string;
  /** A money operation: every try needs its key. */
  idempotencyKey?: string;
  withApiKey: boolean;
  body?: unknown;
};

/** The request as a command to paste; `$CARDLANE_KEY` stands for the API key. */
export function curl({ method, url, idempotencyKey, withApiKey, body }: CurlRequest): string {
  const flags: string[] = [];
  if (withApiKey) flags.push('-H "X-Api-Key: $CARDLANE_KEY"');
  if (idempotencyKey !== undefined) flags.push(`-H "X-Idempotency-Key: ${idempotencyKey}"`);
  if (body !== undefined) {
    flags.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2)}'`);
  }
  const target = url.includes("?") ? `'${url}'` : url;
  const first = method === "GET" ? `curl ${target}` : `curl -X ${method} ${target}`;
  return [first, ...flags].join(" \\\n  ");
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeHtml = (text: string) => text.replace(/[&<>]/g, (char) => ESCAPES[char] as string);
const span = (kind: string, text: string) => `<span class="${kind}">${text}</span>`;

const JSON_TOKEN = /("(?:[^"\\]|\\.)*"?)(\s{0,9}:)?|\b(-?\d+(?:\.\d+)?|true|false|null)\b/g;
const SHELL_TOKEN = /(#.*)|(^(?:curl|npm|git|cd)\b)|(\s-{1,2}[A-Za-z-]+)|('[^']*'|"[^"]*")/gm;

type CodeLanguage = "json" | "sh" | "text" | keyof typeof PROGRAM_TOKENS;

/**
 * In order: a comment, a string, a keyword. Whichever begins first decides. What is not closed ends with its line, so that
 * no text is read twice.
 */
const PROGRAM_TOKENS = {
  js: /(^[ \t]*\/\/.*|\s\/\/ .*)|("(?:[^"\\\n]|\\.)*"?)|\b(import|from|const|let|async|await|function|return|if|else|throw|new|try|catch|export|for|of)\b/gm,
  py: /(#.*)|(f?r?"(?:[^"\\\n]|\\.)*"?)|\b(import|from|def|class|return|if|else|with|as|try|except|raise|not|in|is|None|and|or)\b/gm,
  html: /(&lt;!--.*?(?:--&gt;|$)|^[ \t]*\/\/.*|\s\/\/ .*)|("[^"\n]*")|(&lt;\/?[a-z!][a-z0-9]*|(?<=[a-z"])&gt;|\b(?:const|await|if|else)\b)/gm,
} as const;

/** Escaped HTML with a few colours. Small on purpose, and none of this runs in a browser. */
function highlight(code: string, language: CodeLanguage): string {
  const text = escapeHtml(code);
  if (language === "js" || language === "py" || language === "html") {
    return text.replace(PROGRAM_TOKENS[language], (all, comment?: string, quoted?: string) =>
      comment ? span("dim", all) : quoted ? span("str", all) : span("key", all),
    );
  }
  if (language === "json") {
    return text.replace(JSON_TOKEN, (_, quoted: string | undefined, colon: string | undefined, atom: string) =>
      quoted === undefined
        ? span("num", atom)
        : colon === undefined
          ? span("str", quoted)
          : span("key", quoted) + colon,
    );
  }
  if (language === "sh") {
    return text.replace(SHELL_TOKEN, (all, comment, command, flag, quoted) =>
      comment
        ? span("dim", all)
        : command
          ? span("key", all)
          : flag
            ? span("dim", all)
            : quoted
              ? span("str", all)
              : all,
    );
  }
  return text;
}
