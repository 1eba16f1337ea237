/**
 * A loader for the build: Markdown with components (components/docs/*.mdx) becomes a React component and the lists of its
 * headings and sections. `## Heading [#id]` gives a heading its id and makes it a section; any other gets an id of its words.
 * A table is named by the heading above it.
 */
module.exports = async function mdxLoader(source) {
  const [{ compile }, { default: gfm }, { visit }] = await Promise.all([
    import("@mdx-js/mdx"),
    import("remark-gfm"),
    import("unist-util-visit"),
  ]);
  const sections = [];
  const headings = [];
  const describe = () => (tree) => {
    let caption = "";
    visit(tree, ["heading", "code", "table"], (node) => {
      if (node.type === "table") node.data = { hProperties: { caption } };
      else if (node.type === "code") node.data = { hProperties: fence(node.meta ?? "") };
      else {
        const [text] = node.children;
        const [, label, id] = /^(.*?)(?: \[#([\w-]+)\])?$/.exec(text.value);
        caption = text.value = label;
        if (node.depth === 1) return;
        const anchor = id ?? wordsOf(label);
        if (headings.some((heading) => heading.id === anchor)) throw new Error(`Two headings have the id ${anchor}.`);
        node.data = { hProperties: { id: anchor } };
        headings.push({ id: anchor, label });
        if (id) sections.push({ id, label, ...(node.depth > 2 && { level: 2 }) });
      }
    });
  };
  const { value } = await compile(source, { remarkPlugins: [gfm, describe] });
  return `${value}
export const sections = ${JSON.stringify(sections)};
export const headings = ${JSON.stringify(headings)};
`;
};

/** "1. Get a key" → "get-a-key". */
const wordsOf = (label) =>
  label
    .toLowerCase()
    .replace(/^\d+\. /, "")
    .replace(/[^a-z\d]+/g, "-")
    .replace(/^-|-$/g, "");

/** Parses the text after a fence's language: `title="Keep the key" tall`. */
function fence(meta) {
  return { title: /title="([^"]*)"/.exec(meta)?.[1], tall: meta.endsWith(" tall") };
}
