type Named = { readonly handle: string };

/**
 * Colleagues whose handle follows an @ in the text, each once. The longest handle wins: "@Ann Lee" does not
 * mention Ann.
 */
export function mentionedIn<Colleague extends Named>(text: string, colleagues: readonly Colleague[]): Colleague[] {
  const longestFirst = colleagues.toSorted((a, b) => b.handle.length - a.handle.length);
  const found = new Set<Colleague>();
  const spoken = text.toLowerCase();
  for (let at = spoken.indexOf("@"); at >= 0; at = spoken.indexOf("@", at + 1)) {
    const rest = spoken.slice(at + 1);
    const named = longestFirst.find(({ handle }) => beginsWithName(rest, handle.toLowerCase()));
    if (named === undefined) continue;
    // Two colleagues may share a name; nothing in the text tells them apart.
    for (const one of colleagues) if (one.handle.toLowerCase() === named.handle.toLowerCase()) found.add(one);
  }
  return [...found];
}

const beginsWithName = (rest: string, handle: string) =>
  handle !== "" && rest.startsWith(handle) && !/^[\p{L}\p{N}]/u.test(rest.slice(handle.length));
