import { isValidElement, type ReactElement, type ReactNode } from "react";

/**
 * Converts a guide's React tree to Markdown. It calls components directly, so stateful ones must be replaced
 * first.
 */

type Props = {
  children?: ReactNode;
  href?: string;
  title?: string;
  className?: string;
  code?: string;
  language?: string;
};
type Element = ReactElement<Props>;

const BLOCKS = new Set([
  ...["p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "pre", "table", "blockquote", "hr"],
  ...["article", "section", "div", "figure", "header", "nav", "dl", "dt", "dd"],
]);

/** Renders content as Markdown. `addressOf` gives the target of each link. */
export function toMarkdown(node: ReactNode, addressOf: (href: string) => string = (href) => href): string {
  return `${blocks(resolved(node), addressOf)}\n`;
}

type AddressOf = (href: string) => string;

/** Resolves components to HTML elements, links, code and text. */
function resolved(node: ReactNode): (Element | string)[] {
  if (node === null || node === undefined || typeof node === "boolean") return [];
  if (Array.isArray(node)) return node.flatMap(resolved);
  if (!isValidElement(node)) return [String(node)];
  const element = node as Element;
  const { type, props } = element;
  if (typeof type === "string" || props.href !== undefined || props.code !== undefined) return [element];
  // A fragment has no type that could be called.
  if (typeof type !== "function") return resolved(props.children);
  return resolved((type as (own: Props) => ReactNode)(props));
}

const isBlock = (item: Element | string): item is Element =>
  typeof item !== "string" &&
  (item.props.code !== undefined || (typeof item.type === "string" && BLOCKS.has(item.type)));

function blocks(items: readonly (Element | string)[], addressOf: AddressOf): string {
  const parts: string[] = [];
  let line: (Element | string)[] = [];
  const endLine = () => {
    const text = inline(line, addressOf).trim();
    if (text !== "") parts.push(text);
    line = [];
  };
  for (const item of items) {
    if (!isBlock(item)) line.push(item);
    else {
      endLine();
      const text = block(item, addressOf);
      if (text !== "") parts.push(text);
    }
  }
  endLine();
  return parts.join("\n\n");
}

function block(element: Element, addressOf: AddressOf): string {
  const { type, props } = element;
  if (props.code !== undefined) return fence(props.language ?? "", props.title, props.code);
  const children = resolved(props.children);
  switch (type) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
      return `${"#".repeat(Number(type[1]))} ${inline(children, addressOf).trim()}`;
    case "p":
      return inline(children, addressOf).trim();
    case "pre":
      return preformatted(children);
    case "ul":
    case "ol":
      return list(children, type === "ol", addressOf);
    case "table":
      return table(children, addressOf);
    case "blockquote":
      return blocks(children, addressOf).replace(/^/gm, "> ");
    case "hr":
      return "---";
    default:
      return blocks(children, addressOf);
  }
}

function preformatted(children: readonly (Element | string)[]): string {
  const [code] = children.filter((child): child is Element => typeof child !== "string");
  if (!code) throw new Error("A code block has no code.");
  return fence((code.props.className ?? "").replace("language-", ""), code.props.title, textOf(code));
}

const fence = (language: string, title: string | undefined, code: string) =>
  `\`\`\`${language}${title ? ` title="${title}"` : ""}\n${code.trim()}\n\`\`\``;

function list(children: readonly (Element | string)[], isOrdered: boolean, addressOf: AddressOf): string {
  return children
    .filter((child): child is Element => typeof child !== "string")
    .map(({ props }, index) => {
      const mark = isOrdered ? `${index + 1}. ` : "- ";
      const text = blocks(resolved(props.children), addressOf);
      return mark + text.replace(/\n(?!\n)/g, `\n${" ".repeat(mark.length)}`);
    })
    .join("\n");
}

function table(children: readonly (Element | string)[], addressOf: AddressOf): string {
  const rows = rowsIn(children).map(({ props }) =>
    resolved(props.children)
      .filter((cell): cell is Element => typeof cell !== "string")
      .map((cell) => inline(resolved(cell.props.children), addressOf).trim()),
  );
  const [head = [], ...body] = rows;
  return tableOf(head, body);
}

/** Escapes bars and line breaks, which would end a cell. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\\?\|/g, "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const rowsIn = (items: readonly (Element | string)[]): Element[] =>
  items.flatMap((item) => {
    if (typeof item === "string") return [];
    return item.type === "tr" ? [item] : rowsIn(resolved(item.props.children));
  });

function inline(items: readonly (Element | string)[], addressOf: AddressOf): string {
  return items.map((item) => (typeof item === "string" ? escaped(item) : inlineElement(item, addressOf))).join("");
}

function inlineElement(element: Element, addressOf: AddressOf): string {
  const { type, props } = element;
  const text = () => inline(resolved(props.children), addressOf);
  if (props.href !== undefined) return `[${text().trim()}](${addressOf(props.href)})`;
  switch (type) {
    case "code":
      return `\`${textOf(element)}\``;
    case "strong":
      return `**${text()}**`;
    case "em":
      return `*${text()}*`;
    case "br":
      return "\n";
    case "svg":
    case "caption":
      return "";
    default:
      return text();
  }
}

/** Escapes `<`, which would open a tag. */
const escaped = (text: string) => text.replace(/<(?=[a-zA-Z/!])/g, "\\<");

const textOf = (item: Element | string): string =>
  typeof item === "string" ? item : resolved(item.props.children).map(textOf).join("");
