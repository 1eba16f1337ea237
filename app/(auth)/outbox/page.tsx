import { Inbox, Lock } from "lucide-react";
import type { Metadata } from "next";
import { AuthHeading } from "@/components/accounts/auth-page";
import { MailCard } from "@/components/accounts/mail-card";
import { EmptyState } from "@/components/ui/empty-state";
import { outboxPage } from "@/lib/http/outbox";

export const metadata: Metadata = { title: "Outbox", robots: "noindex" };

export default async function OutboxPage() {
  const mails = await outboxPage();
  if (mails === null) return <LockedOutbox />;
  return (
    <div className="w-full max-w-2xl">
      <AuthHeading title="Outbox">
        No mail server is set up, so e-mail is shown here instead of being sent. Only browsers that opened the link from
        the console can see it. Set <code className="tick">SMTP_URL</code> to send e-mail from then on.
      </AuthHeading>
      {mails.length === 0 ? (
        <EmptyState
          icon={<Inbox aria-hidden="true" />}
          title="No e-mail yet"
          description="Password links, invitations, sign-in notices and receipts appear here."
          className="rounded-lg border"
        />
      ) : (
        <ul className="flex flex-col gap-3">
          {mails.map(({ id, sender_name, recipient, subject, body, created_at }) => (
            <MailCard
              key={id}
              sender={sender_name}
              recipient={recipient}
              subject={subject}
              body={body}
              at={created_at}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function LockedOutbox() {
  return (
    <div className="w-full max-w-2xl">
      <AuthHeading title="Outbox">
        E-mail waits here while no mail server is set up. Its links open accounts, so this page is locked.
      </AuthHeading>
      <EmptyState
        icon={<Lock aria-hidden="true" />}
        title="The outbox is locked"
        description="Open it with the Outbox link that npm start printed. The link works for a week. Restart to get a new one."
        className="rounded-lg border"
      />
    </div>
  );
}
