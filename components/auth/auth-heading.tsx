import type { ReactNode } from "react";

export function AuthHeading({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-6">
      <h1 className="font-semibold text-xl leading-8 tracking-tight">{title}</h1>
      {children && <div className="text-[13px] text-soft">{children}</div>}
    </header>
  );
}
