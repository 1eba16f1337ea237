/** Second key after `g` → path below `/{mode}`: the keys of SHELL_PAGES, without their icons. */
export const SHELL_KEYS: Readonly<Record<string, string>> = {
  o: "",
  t: "/transactions",
  c: "/checkout",
  p: "/plans",
  k: "/developers/api-keys",
  i: "/developers/idempotency",
  s: "/settings",
};
