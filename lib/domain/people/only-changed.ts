/** Name → [before, after] of what differs, for the audit log. */
export function onlyChanged(changes: Record<string, [unknown, unknown]>): Record<string, [unknown, unknown]> {
  return Object.fromEntries(Object.entries(changes).filter(([, [from, to]]) => from !== to));
}
