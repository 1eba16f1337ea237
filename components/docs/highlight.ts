const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeHtml = (text: string) => text.replace(/[&<>]/g, (char) => ESCAPES[char] as string);
const span = (kind: string, text: string) => `<span class="${kind}">${text}</span>`;

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(-?\d+(?:\.\d+)?|true|false|null)\b/g;
const SHELL_TOKEN = /(#.*$)|(^(?:curl|npm|git|cd)\b)|(\s-{1,2}[A-Za-z-]+)|('[^']*'|"[^"]*")/gm;

/** Escaped HTML with a few colours. Small on purpose: the pages hold two languages, and none of this runs in a browser. */
export function highlight(code: string, language: "json" | "sh" | "text"): string {
  const text = escapeHtml(code);
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
