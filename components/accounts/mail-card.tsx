import { Time } from "@/components/ui/time";

type MailCardProps = { sender: string | null; recipient: string; subject: string; body: string; at: string };

/** A mail as the recipient would see it, with working links. */
export function MailCard({ sender, recipient, subject, body, at }: MailCardProps) {
  return (
    <li className="rounded-lg border text-[13px]">
      <article>
        <header className="border-b px-4 py-2.5">
          <h2 className="font-semibold text-sm [overflow-wrap:anywhere]">{subject}</h2>
          <p className="flex flex-wrap justify-between gap-x-4 text-soft">
            <span className="[overflow-wrap:anywhere]">
              {sender === null ? "To" : `From ${sender} via Cardlane to`} {recipient}
            </span>
            <Time at={at} />
          </p>
        </header>
        <div className="flex flex-col gap-2 px-4 py-3">
          {body
            .trim()
            .split("\n\n")
            .map((paragraph) => (
              <Paragraph key={paragraph} text={paragraph} />
            ))}
        </div>
      </article>
    </li>
  );
}

function Paragraph({ text }: { text: string }) {
  if (!/^https?:\/\/\S+$/.test(text)) return <p className="[overflow-wrap:anywhere]">{text}</p>;
  return (
    <p>
      <a
        href={text}
        className="text-accent underline decoration-accent/40 underline-offset-3 [overflow-wrap:anywhere] hover:decoration-current"
      >
        {text}
      </a>
    </p>
  );
}
