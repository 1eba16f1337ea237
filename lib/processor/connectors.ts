import { ADYEN } from "./adyen/connector";
import type { Connector } from "./connector";
import { STRIPE } from "./stripe/connector";

/** All connectors. A new one is a folder beside this file, a line here and one in `credential-names.ts`. */
export const CONNECTORS: readonly Connector[] = [STRIPE, ADYEN];
