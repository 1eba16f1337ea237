import type { ReactNode } from "react";
import { ReauthenticationHost } from "@/components/accounts/reauthentication-host";
import { SupportBar } from "@/components/support/support-bar";
import { TimeDisplayProvider } from "@/lib/client/time-display";
import { supportPage } from "@/lib/http/page";

/** Frame of the support pages, visibly different from a merchant's dashboard. */
export default async function SupportLayout({ children }: { children: ReactNode }) {
  const { staff } = await supportPage();
  return (
    <TimeDisplayProvider times={staff.preferences.times ?? "local"} timeZone="UTC">
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <ReauthenticationHost staff />
      <div className="flex min-h-dvh flex-col">
        <SupportBar name={staff.name ?? staff.email} />
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[80rem] flex-1 px-4 py-6 outline-none sm:px-6 lg:px-8"
        >
          {children}
        </main>
      </div>
    </TimeDisplayProvider>
  );
}
