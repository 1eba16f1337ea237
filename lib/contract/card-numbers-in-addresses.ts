import { CARD_NUMBER_MARK, maskCardNumbers } from "./card-numbers";

const IPV6 = /^[\da-f]{0,4}:[\da-f:.]{1,42}$/i;

/** True if an IPv6 address spells a card number (`4242:4242:4242:4242::`). Letters are hexadecimal there. */
export const isNumberAsAddress = (address: string): boolean =>
  address.includes(":") &&
  (address.split(/[a-f]/i).some((part) => maskCardNumbers(part) !== part) || isShortenedNumber(address));

/** Digits in the last group, by number of groups: for card numbers of 14 to 16, and of 17 to 19 digits. */
const LAST_GROUP: readonly (readonly [groups: number, lengths: readonly number[]])[] = [
  [4, [4, 3, 2]],
  [5, [3, 2, 1]],
];

/** Includes groups without their leading zeros: `4024:71:393:9509::` is 4024 0071 0393 9509. */
function isShortenedNumber(address: string): boolean {
  const [alone = ""] = address.split("/", 1);
  const groups = alone.split(":").map((group) => (/^\d{1,4}$/.test(group) ? group : ""));
  return groups.some((_, at) =>
    LAST_GROUP.some(([count, lengths]) => {
      const some = groups.slice(at, at + count);
      if (some.length < count || some.includes("")) return false;
      const first = some.slice(0, -1).map((group) => group.padStart(4, "0"));
      return lengths.some((length) => {
        const number = [...first, some.at(-1)?.padStart(length, "0")].join("");
        return maskCardNumbers(number) === CARD_NUMBER_MARK;
      });
    }),
  );
}

/**
 * A caller's address in a form that may be stored. About one in some thousand real IPv6 addresses looks like a card number;
 * of those only the first two groups are kept, which identify the provider.
 */
export function keepableAddress(address: string): string {
  if (!IPV6.test(address)) return maskCardNumbers(address);
  if (!isNumberAsAddress(address)) return address;
  const [first = "", second = ""] = address.split(":");
  return second === "" ? `${first}::/32` : `${first}:${second}::/32`;
}
