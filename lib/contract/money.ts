import { z } from "zod";
import { MAX_AMOUNT } from "./currencies";

export const amount = z.int().min(1).max(MAX_AMOUNT);
/** An amount in an answer. */
export const amountOut = z.int().min(0);

/** Three capital letters. Whether money can be taken in it is a business rule: 422 `currency_not_supported`. */
export const currency = z.string().regex(/^[A-Z]{3}$/, "Use a three-letter ISO 4217 code in capitals, such as USD.");
