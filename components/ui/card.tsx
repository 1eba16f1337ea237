import { type ReactNode, useId } from "react";
import { cn } from "./class-names";

type CardProps = {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Without padding, for a table that reaches the edges. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
};

export function Card({ title, description, actions, flush = false, className, children }: CardProps) {
  const id = useId();
  return (
    <section aria-labelledby={title ? id : undefined} className={cn("min-w-0 rounded-lg border", className)}>
      {(title || actions) && (
        <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2.5">
          <div className="min-w-0 flex-1">
            <h2 id={id} className="font-semibold text-sm leading-6">
              {title}
            </h2>
            {description && <p className="text-[13px] text-soft">{description}</p>}
          </div>
          {actions && <div className="flex items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? "min-w-0" : "p-4 text-[13px]"}>{children}</div>
    </section>
  );
}
