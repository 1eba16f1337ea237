import { z } from "zod";
import { isStorable, NOT_STORABLE } from "./fields";

export const MIN_PASSWORD_LENGTH = 10;
const MAX_PASSWORD_LENGTH = 200;

/** A password that somebody chooses. */
export const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`)
  .max(MAX_PASSWORD_LENGTH, `Choose a password of at most ${MAX_PASSWORD_LENGTH} characters.`);

/** No password is longer; hashing what is would cost whoever sends it nothing, and us a lot. */
export const MAX_GIVEN_PASSWORD_LENGTH = 1_000;
export const givenPassword = z
  .string()
  .min(1, "Enter your password.")
  .max(MAX_GIVEN_PASSWORD_LENGTH, "That is not your password.");

/** Six digits of the authenticator app, or a recovery code. */
export const givenCode = z.string().trim().min(6, "Enter the six digits of your authenticator app.").max(40);

export const emailAddress = z
  .string()
  .trim()
  .min(1, "Enter an e-mail address.")
  .max(254, "This e-mail address is too long.")
  .regex(/^[^\s@]+@[^\s@]+$/, "This is not an e-mail address.")
  .refine(isStorable, "This is not an e-mail address.");

export const personName = z
  .string()
  .trim()
  .min(1, "Enter a name.")
  .max(100, "Use at most 100 characters.")
  .refine(isStorable, NOT_STORABLE);
export const businessName = z
  .string()
  .trim()
  .min(1, "Enter the name of the business.")
  .max(100, "Use at most 100 characters.")
  .refine(isStorable, NOT_STORABLE);

/** IANA name. Whether the database knows it, too, is asked there. */
export const timeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/, "This is not a time zone.")
  .refine(isTimeZone, "This is not a time zone.");

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What an empty field of a form means. */
const orNull = (text: string) => (text === "" ? null : text);

export const website = z
  .string()
  .trim()
  .max(200, "Use at most 200 characters.")
  .refine(
    (text) => text === "" || (isWebAddress(text) && isStorable(text)),
    "Enter an address such as https://example.com.",
  )
  .transform(orNull);

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && hostname.includes(".");
}

export const supportEmail = z
  .string()
  .trim()
  .max(254, "This e-mail address is too long.")
  .regex(/^([^\s@]+@[^\s@]+)?$/, "This is not an e-mail address.")
  .refine(isStorable, "This is not an e-mail address.")
  .transform(orNull);
