import { ADYEN } from "./adyen/connector";
import type { Connector } from "./connector";
import { STRIPE } from "./stripe/connector";

/** Every kind of processor that can be connected; a new one is a folder beside this file, a line here and one in `credential-names.ts`. */
export const CONNECTORS: readonly Connector[] = [STRIPE, ADYEN];
