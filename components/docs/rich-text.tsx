/** One line of text in which `backticks` are code. */
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
