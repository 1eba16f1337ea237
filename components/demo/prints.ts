/** What the sample shop sells, and for how much. The server works out every price from here; the browser only names the print. */
export const DEMO_CURRENCIES = ["USD", "EUR", "JPY", "KWD"] as const;
export type DemoCurrency = (typeof DEMO_CURRENCIES)[number];

export const PRINT_IDS = ["tide", "ridge", "harbour"] as const;
export type PrintId = (typeof PRINT_IDS)[number];

export type Print = {
  title: string;
  place: string;
  about: string;
  /** Minor units of each currency. */
  prices: Record<DemoCurrency, number>;
};

export const PRINTS: Record<PrintId, Print> = {
  tide: {
    title: "Evening tide",
    place: "Skagen, 57° N",
    about: "The sun goes down behind the last sandbank, and for ten minutes the sea has five colours.",
    prices: { USD: 3_200, EUR: 2_950, JPY: 4_800, KWD: 9_750 },
  },
  ridge: {
    title: "Four ridges",
    place: "Dolomites, 46° N",
    about: "Drawn from a train window: each ridge is one colour lighter than the one in front of it.",
    prices: { USD: 3_800, EUR: 3_500, JPY: 5_600, KWD: 11_500 },
  },
  harbour: {
    title: "Harbour, noon",
    place: "Piran, 45° N",
    about: "Three boats, no wind. The masts are as straight as the printer’s ruler.",
    prices: { USD: 2_600, EUR: 2_400, JPY: 3_900, KWD: 7_950 },
  },
};

export const QUANTITIES = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
