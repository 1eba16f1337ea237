import { invalid } from "./errors";

/** A parsed form: `metadata[order]=1&expand[0]=x` is a tree. */
export type Form = { [name: string]: string | Form };

export function parseForm(text: string): Form {
  const form: Form = Object.create(null);
  for (const [path, value] of new URLSearchParams(text)) {
    const names = [...path.matchAll(/[^[\]]+/g)].map(([name]) => name);
    let at = form;
    for (const name of names.slice(0, -1)) {
      const next = at[name] ?? Object.create(null);
      if (typeof next === "string") throw invalid(`Invalid parameter: ${path}`, path);
      at[name] = next;
      at = next;
    }
    const last = names.at(-1);
    if (last !== undefined) at[last] = value;
  }
  return form;
}

/** Reads parameters and records their names; `end` rejects all others. */
export class Parameters {
  readonly #form: Form;
  readonly #known = new Set(["expand"]);
  constructor(form: Form) {
    this.#form = form;
  }

  text(name: string): string | null {
    this.#known.add(name);
    const value = this.#form[name];
    if (value === undefined || value === "") return null;
    if (typeof value !== "string") throw invalid(`Invalid string: ${name}`, name);
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === null) throw invalid(`Missing required param: ${name}.`, name, "parameter_missing");
    return value;
  }

  integer(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!/^-?\d{1,15}$/.test(value)) throw invalid(`Invalid integer: ${value}`, name, "parameter_invalid_integer");
    return Number(value);
  }

  /** Minor units, greater than zero. */
  amount(name: string): number | null {
    const value = this.integer(name);
    if (value !== null && value < 1) throw invalid("This value must be greater than or equal to 1.", name);
    return value;
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | null {
    const value = this.text(name);
    if (value === null) return null;
    const known = values.find((one) => one === value);
    if (known === undefined) throw invalid(`Invalid ${name}: must be one of ${values.join(", ")}`, name);
    return known;
  }

  texts(name: string): Record<string, string> {
    this.#known.add(name);
    const value = this.#form[name] ?? {};
    if (typeof value === "string") throw invalid(`Invalid hash: ${name}`, name);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)]));
  }

  /** One branch of a two-level tree, such as `billing_details[address][city]`. */
  branch(name: string, branch: string): Record<string, string> | null {
    this.#known.add(name);
    const tree = this.#form[name] ?? {};
    if (typeof tree === "string") throw invalid(`Invalid hash: ${name}`, name);
    const value = tree[branch];
    if (value === undefined) return null;
    if (typeof value === "string") throw invalid(`Invalid hash: ${name}[${branch}]`, name);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)]));
  }

  expands(path: string): boolean {
    const value = this.#form.expand ?? {};
    return typeof value !== "string" && Object.values(value).includes(path);
  }

  /** Rejects unknown parameters, like the API. */
  end(): void {
    for (const name of Object.keys(this.#form))
      if (!this.#known.has(name)) throw invalid(`Received unknown parameter: ${name}`, name, "parameter_unknown");
  }
}
