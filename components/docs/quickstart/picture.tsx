/** Who says what to whom, in the order in which it happens. */
const STEPS: readonly { who: string; what: string }[] = [
  { who: "Your server → Cardlane", what: "Here is an order of $19.99. May I have a session?" },
  { who: "Your server → your page", what: "This is the session’s token." },
  { who: "Your page → the form", what: "Mount, with the token." },
  { who: "The shopper → the form", what: "Card number, expiry, security code. They go to Cardlane and nowhere else." },
  { who: "The form → your page", what: "It is done. (A hint, so that the page can move on.)" },
  { who: "Your server → Cardlane", what: "Is it? Then the book goes into the post." },
];

export function Picture() {
  return (
    <ol className="!list-none !pl-0 divide-y rounded-md border bg-raised text-[13px]">
      {STEPS.map(({ who, what }) => (
        <li key={what} className="!mt-0 grid gap-x-4 px-3.5 py-2 sm:grid-cols-[12.5rem_1fr]">
          <span className="font-medium">{who}</span>
          <span className="text-soft">{what}</span>
        </li>
      ))}
    </ol>
  );
}
