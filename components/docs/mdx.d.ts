/** Module that scripts/mdx-loader.cjs generates from a page in Markdown. */
declare module "*.mdx" {
  export const sections: readonly import("./docs-shell").Section[];
  /** All headings but the page's title, in page order. */
  export const headings: readonly { id: string; label: string }[];
  export default function Content(props: {
    components: Record<string, import("react").ComponentType<never>>;
  }): import("react").ReactNode;
}
