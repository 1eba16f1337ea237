import { CARD_NUMBER_MARK, maskCardNumbers } from "./card-numbers";

const IPV6 = /^[\da-f]{0,4}:[\da-f:.]{1,42}$/i;

/** Whether an address spells a card's number (`4242:4242:4242:4242::`), for which IPv6 has room. Letters are hexadecimal there. */
export const isNumberAsAddress = (address: string): boolean =>
  address.includes(":") &&
  (address.split(/[a-f]/i).some((part) => maskCardNumbers(part) !== part) || isShortenedNumber(address));

/** How many digits the last group has of a number that so many groups hold: of fourteen to sixteen, and of seventeen to nineteen. */
const LAST_GROUP: readonly (readonly [groups: number, lengths: readonly number[]])[] = [
  [4, [4, 3, 2]],
  [5, [3, 2, 1]],
];

/** Also with groups whose zeros at the front are not written: `4024:71:393:9509::` is 4024 0071 0393 9509. */
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
 * A caller's address as it may be kept. One of some thousand true addresses of IPv6 reads like a card's number by chance: of
 * those, and of those that are made up, the first two groups stay, which name the provider and are no number.
 */
export function keepableAddress(address: string): string {
  if (!IPV6.test(address)) return maskCardNumbers(address);
  if (!isNumberAsAddress(address)) return address;
  const [first = "", second = ""] = address.split(":");
  return second === "" ? `${first}::/32` : `${first}:${second}::/32`;
}
