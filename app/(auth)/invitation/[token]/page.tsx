import type { Metadata } from "next";
import ChoosePasswordPage from "../../reset-password/[token]/page";

// The address holds a secret token: keep it from linked pages and search engines.
export const metadata: Metadata = { title: "Accept your invitation", referrer: "no-referrer", robots: "noindex" };

/** The same page as for a new password: it reads from the link which of the two it is for. */
export default function InvitationPage({ params }: { params: Promise<{ token: string }> }) {
  return <ChoosePasswordPage params={params} />;
}
