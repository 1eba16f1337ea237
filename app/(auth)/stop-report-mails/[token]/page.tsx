import type { Metadata } from "next";
import { AuthColumn, AuthHeading, AuthLink } from "@/components/accounts/auth-page";
import { StopReportMail } from "@/components/reports/stop-report-mail";
import { REPORT_WORDS } from "@/lib/contract/reports/report-types";
import { mailsOfLink } from "@/lib/domain/reports/report-mails";
import { currentService } from "@/lib/http/current-service";

// The address stops mails: keep it from linked pages and search engines.
export const metadata: Metadata = { title: "Stop a report", referrer: "no-referrer", robots: "noindex" };

type StopReportMailPageProps = { params: Promise<{ token: string }> };

export default async function StopReportMailPage({ params }: StopReportMailPageProps) {
  const { token } = await params;
  const mails = mailsOfLink(currentService().service, token);
  if (mails === null) {
    return (
      <AuthColumn>
        <AuthHeading title="This link is not complete">
          Open it from the mail again, or choose “Never” at the end of the report’s{" "}
          <AuthLink href="/test/reports">page</AuthLink>.
        </AuthHeading>
      </AuthColumn>
    );
  }
  return (
    <AuthColumn>
      <StopReportMail token={token} label={REPORT_WORDS[mails.type].label} />
    </AuthColumn>
  );
}
