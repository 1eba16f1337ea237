import Link from "next/link";
import { SupportNav } from "./support-nav";
import { SupportSignOut } from "./support-sign-out";

/** A thin violet bar: whoever sees it works across all merchants. */
export function SupportBar({ name }: { name: string }) {
  return (
    <header className="sticky top-0 z-20 border-violet border-b-2 bg-violet-ground text-[13px] print:hidden">
      <div className="mx-auto flex w-full max-w-[80rem] flex-wrap items-center gap-x-6 px-4 sm:px-6 lg:px-8">
        <Link href="/support" prefetch={false} className="flex h-10 items-center rounded font-semibold text-violet">
          Cardlane support
        </Link>
        <SupportNav />
        <div className="ml-auto flex h-10 min-w-0 items-center gap-3">
          <span className="truncate max-sm:hidden">
            <span className="sr-only">Signed in as </span>
            {name}
          </span>
          <SupportSignOut />
        </div>
      </div>
    </header>
  );
}
