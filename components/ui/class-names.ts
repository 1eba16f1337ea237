import { type ClassValue, clsx } from "clsx";

/**
 * Joins class names. Conflicts are not resolved (that would cost every page 7 kB): what a primitive lets its callers
 * override stands in the `components` layer of globals.css, where any utility wins over it.
 */
export function cn(...names: ClassValue[]): string {
  return clsx(names);
}
