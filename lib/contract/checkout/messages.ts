/**
 * Messages between the payment form and the page that embeds it. Both sides accept them only from the exact
 * window and origin, and only in this format. None carries card data.
 */

import { APPEARANCE_PRESETS, APPEARANCE_THEMES, type Appearance, FONT_FAMILY, HEX_COLOR } from "./appearance";
import { CHECKOUT_LOCALES, type CheckoutFailure, type CheckoutLocale } from "./checkout";

const SOURCE = "cardlane";

/** Errors sent to the merchant's page when the form can't continue or an attempt failed. */
export type CheckoutErrorCode =
  | CheckoutFailure
  | "session_not_found"
  | "origin_not_allowed"
  | "form_not_loaded"
  | "attempts_exhausted"
  | "session_cancelled"
  | "rate_limited"
  | "trial_used"
  | "invalid_card_data"
  | "connection_lost"
  | "processor_unavailable";

type CheckoutError = { code: CheckoutErrorCode; message: string; attempts_left: number | null };

export type CheckoutResult = {
  client_session_id: string;
  /** Null unless a payment was made. */
  payment_id: string | null;
  /** The stored card, and the subscription; left out if there is none. */
  payment_method_id?: string;
  subscription_id?: string;
  status: string;
  /** Only in mode `tokenize`: `tok_…`, for one payment within 15 minutes. */
  payment_token: string | null;
  return_url: string | null;
};

/** From the form to the merchant's page. */
export type FrameMessage =
  | { type: "hello" }
  /** The session allows the page's origin, so the form's failure has another cause. */
  | { type: "embeddable" }
  | { type: "ready" }
  /** Pixels. */
  | { type: "resize"; height: number }
  | { type: "change"; complete: boolean; empty: boolean; processing: boolean }
  | { type: "action_required"; kind: "three_d_secure" }
  | ({ type: "success" } & CheckoutResult)
  | ({ type: "error" } & CheckoutError)
  | { type: "expired" };

/** Options that the merchant's page may change. */
export type FrameOptions = {
  appearance?: Appearance | undefined;
  locale?: CheckoutLocale | undefined;
  /** True if the form shows its own button; otherwise the page calls `submit()`. */
  button?: boolean | undefined;
};

/** From the merchant's page to the form. `init` is the response to `hello`. */
export type ParentMessage =
  | ({ type: "init" } & FrameOptions)
  | ({ type: "update" } & FrameOptions)
  | { type: "submit" };

/** Wraps a message for `postMessage`. */
export const wrap = <M extends FrameMessage | ParentMessage>(message: M) => ({ source: SOURCE, ...message });

type Shape = Record<string, (value: unknown) => boolean>;

const text = (value: unknown) => typeof value === "string";
const flag = (value: unknown) => typeof value === "boolean";
const count = (value: unknown) => typeof value === "number" && Number.isFinite(value);
export const oneOf = (all: readonly unknown[]) => (value: unknown) => all.includes(value);
const orNull = (check: (value: unknown) => boolean) => (value: unknown) => value === null || check(value);
const optional = (check: (value: unknown) => boolean) => (value: unknown) => value === undefined || check(value);

const FRAME_SHAPES: Record<FrameMessage["type"], Shape> = {
  hello: {},
  embeddable: {},
  ready: {},
  resize: { height: (value) => count(value) && (value as number) >= 0 && (value as number) <= 20_000 },
  change: { complete: flag, empty: flag, processing: flag },
  action_required: { kind: (value) => value === "three_d_secure" },
  success: {
    client_session_id: text,
    payment_id: orNull(text),
    payment_method_id: optional(text),
    subscription_id: optional(text),
    status: text,
    payment_token: orNull(text),
    return_url: orNull(text),
  },
  error: { code: text, message: text, attempts_left: orNull(count) },
  expired: {},
};

const OPTIONS: Shape = {
  appearance: optional(isAppearance),
  locale: optional(oneOf(CHECKOUT_LOCALES)),
  button: optional(flag),
};

const PARENT_SHAPES: Record<ParentMessage["type"], Shape> = { init: OPTIONS, update: OPTIONS, submit: {} };

/** The form's message in a MessageEvent's data; null for anything else, whatever its sender. */
export const readFrameMessage = (data: unknown) => read<FrameMessage>(data, FRAME_SHAPES);
/** The merchant page's message in a MessageEvent's data; null for anything else, whatever its sender. */
export const readParentMessage = (data: unknown) => read<ParentMessage>(data, PARENT_SHAPES);

function read<M extends { type: string }>(data: unknown, shapes: Record<M["type"], Shape>): M | null {
  if (typeof data !== "object" || data === null) return null;
  const { source, ...message } = data as Record<string, unknown>;
  if (source !== SOURCE || typeof message.type !== "string" || !Object.hasOwn(shapes, message.type)) return null;
  const shape: Shape = shapes[message.type as M["type"]];
  const known = Object.keys(message).every((name) => name === "type" || Object.hasOwn(shape, name));
  return known && Object.entries(shape).every(([name, check]) => check(message[name])) ? (message as M) : null;
}

const APPEARANCE: Shape = {
  preset: optional(oneOf(APPEARANCE_PRESETS)),
  theme: optional(oneOf(APPEARANCE_THEMES)),
  accent_color: optional((value) => text(value) && HEX_COLOR.test(value as string)),
  background_color: optional((value) => text(value) && HEX_COLOR.test(value as string)),
  text_color: optional((value) => text(value) && HEX_COLOR.test(value as string)),
  border_radius: optional((value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 24),
  font_family: optional((value) => text(value) && FONT_FAMILY.test(value as string)),
};

/** True for an appearance that the form can show. */
export function isAppearance(value: unknown): value is Appearance {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = Object.entries(value);
  return members.every(([name, member]) => Object.hasOwn(APPEARANCE, name) && APPEARANCE[name]?.(member));
}
