import type { Connector } from "./connector";

/** Every kind of processor that can be connected; a new one is a folder beside this file, and a line here. */
export const CONNECTORS: readonly Connector[] = [];
