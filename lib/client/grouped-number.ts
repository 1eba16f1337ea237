/** 4242 4242 4242 4242; American Express 3782 822463 10005: as it stands on the card. */
export function groupedNumber(number: string): string {
  return number.length === 15
    ? number.replace(/^(\d{4})(\d{6})(\d{5})$/, "$1 $2 $3")
    : (number.match(/\d{1,4}/g) ?? []).join(" ");
}
