/** The sample shop at /demo is the demo merchant's: what its server side needs to call the API as any merchant would. */
export type DemoShop = {
  /** The demo merchant's sandbox key. It stays on the server. */
  readonly key: string;
  /** Where the API answers, without a slash at the end. */
  readonly apiUrl: string;
};

/** On globalThis: the start-up provides it, and the pages are bundled by Next with a copy of every module. */
const holder = globalThis as { [key: symbol]: DemoShop | undefined };
const KEY = Symbol.for("cardlane.demo-shop");

/** Called once, by the start-up; null for a database that has merchants of its own. */
export function provideDemoShop(shop: DemoShop | null): void {
  holder[KEY] = shop ?? undefined;
}

export function findDemoShop(): DemoShop | null {
  return holder[KEY] ?? null;
}
