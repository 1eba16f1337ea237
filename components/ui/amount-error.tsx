import type { AmountChoice } from "@/lib/contract/typed-amount";
import { Button } from "./button";

type AmountErrorProps = {
  message: string;
  choices?: readonly AmountChoice[];
  /** Called with the amount to put into the field. */
  onChoose: (text: string) => void;
};

/** Error of a typed amount, with the possible meanings to choose from. */
export function AmountError({ message, choices = [], onChoose }: AmountErrorProps) {
  return (
    <>
      {message}
      {choices.length > 0 && (
        <span className="mt-1 flex flex-col items-start gap-1.5">
          {choices.map(({ text, label }) => (
            <Button
              key={text}
              size="sm"
              className="h-auto whitespace-normal py-1 text-left"
              onClick={() => onChoose(text)}
            >
              {label}
            </Button>
          ))}
        </span>
      )}
    </>
  );
}
