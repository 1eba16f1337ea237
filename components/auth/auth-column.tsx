import type { ReactNode } from "react";

/** As wide as a form wants to be. */
export function AuthColumn({ children }: { children: ReactNode }) {
  return <div className="w-full max-w-[22rem]">{children}</div>;
}
