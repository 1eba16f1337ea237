import Link from "next/link";
import type { ComponentType, ReactElement, ReactNode } from "react";
import { CodeBlock, type CodeLanguage } from "./code";
import { type DocsPath, DocsShell, type Section } from "./docs-shell";
import { SandboxKey } from "./try/sandbox-key";

/** Address written in the sources; a page shows the service's own instead. */
export const WRITTEN_ADDRESS = "http://localhost:3000";

/** Path of the client for Node in the guides; a page shows the path of this build's tarball in its place. */
export const WRITTEN_NODE_CLIENT = "/sdk/node.tgz";

/** Replaces the address and the client's path in a text of the guides by this service's own. */
export const withAddress = (text: string, baseUrl: string, nodeClient = WRITTEN_NODE_CLIENT): string =>
  text.replaceAll(WRITTEN_ADDRESS + WRITTEN_NODE_CLIENT, baseUrl + nodeClient).replaceAll(WRITTEN_ADDRESS, baseUrl);

type Parts = Record<string, ComponentType<never>>;
export type MarkdownPage = {
  readonly default: (props: { components: Parts }) => ReactNode;
  readonly sections: readonly Section[];
  readonly headings: readonly { id: string; label: string }[];
};

type DocsPageProps = {
  current: DocsPath;
  page: MarkdownPage;
  /** The service's address, if the page shows it. */
  baseUrl?: string;
  /** The path of its client for Node, if the page shows it. */
  nodeClient?: string;
  /** Components that the page uses. */
  parts: Parts;
  /** True if the service has the demo merchant, and with it the sample shop. */
  hasDemo?: boolean;
};

export function DocsPage({ current, page, parts, hasDemo = false, ...address }: DocsPageProps) {
  const { default: Content, sections } = page;
  const here = (text: string) => withAddress(text, address.baseUrl ?? WRITTEN_ADDRESS, address.nodeClient);
  const Demo = ({ children }: { children: ReactNode }) => hasDemo && children;
  return (
    <DocsShell
      current={current}
      markdown={`${current}.md`}
      sections={[{ id: "content", label: "Overview" }, ...sections]}
    >
      <article className="prose">
        <Content components={{ ...elements(here), Demo, SandboxKey, ...parts }} />
      </article>
    </DocsShell>
  );
}

type Fence = { className: string; title: string; tall: boolean; children: string };

/** Components for the elements of Markdown. */
function elements(here: (text: string) => string) {
  return {
    a: ({ href, children }: { href: string; children: ReactNode }) =>
      href.startsWith("/docs") ? <Link href={href}>{children}</Link> : <a href={href}>{children}</a>,
    code: ({ children }: { children: string }) => <code className="tick">{here(children)}</code>,
    pre: ({ children }: { children: ReactElement<Fence> }) => {
      const { className, title, tall, children: code } = children.props;
      const language = className.replace("language-", "") as CodeLanguage;
      return <CodeBlock title={title} language={language} code={here(code).trim()} tall={tall} />;
    },
    table: ScrollingTable,
  };
}

/** A line of text in which `backticks` are code. */
export function RichText({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text never move
      <code key={index} className="tick">
        {part}
      </code>
    ) : (
      part
    ),
  );
}

type DataTableProps = {
  caption: string;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
};

/** A data table whose first cells are row headings. */
export function DataTable({ caption, columns, rows }: DataTableProps) {
  return (
    <ScrollingTable caption={caption}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, index) => (
              <td key={columns[index]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

/** Scrolls in its own box on narrow screens. */
function ScrollingTable({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={caption}>
      <table className="table">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}
