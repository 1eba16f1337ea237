import { Lock, SearchX } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Banner } from "./banner";
import { Button } from "./button";
import { CopyButton } from "./copy";
import { buttonStyles, cn } from "./styles";

type EmptyStateProps = {
  className?: string;
  /** Fills the page, so its title is the page's heading. */
  page?: boolean;
} & (
  | {
      /** No data yet: explains the purpose and the first step. */
      kind?: "first";
      title: ReactNode;
      description?: ReactNode;
      icon?: ReactNode;
      /** A command that creates the first one, to copy. */
      curl?: string;
      curlTitle?: string;
      actions?: ReactNode;
    }
  | {
      /** No row matches the filters. */
      kind: "no-results";
      /** "transactions" */
      what: string;
      /** Active filters as text: "Status: Declined". */
      filters?: readonly string[];
      /** Clears the filters, or the list's address without them. */
      onClear?: () => void;
      path?: string;
      actions?: ReactNode;
    }
  | {
      /** The user's role lacks the permission. */
      kind: "no-permission";
      /** "API keys" */
      what: string;
    }
);

/** Explains why a list is empty, and what to do about it. */
export function EmptyState(props: EmptyStateProps) {
  switch (props.kind) {
    case "no-results":
      return (
        <Frame
          icon={<SearchX aria-hidden="true" />}
          title={`No ${props.what} match`}
          page={props.page}
          className={props.className}
        >
          {props.filters && props.filters.length > 0 ? (
            <p className="flex flex-wrap justify-center gap-1.5">
              {props.filters.map((filter) => (
                <span key={filter} className="rounded border bg-raised px-1.5 text-ink text-xs leading-5">
                  {filter}
                </span>
              ))}
            </p>
          ) : (
            <p>Nothing matches these filters.</p>
          )}
          <div className="mt-4 flex flex-wrap justify-center gap-2">
            {props.onClear && <Button onClick={props.onClear}>Clear filters</Button>}
            {props.path && (
              <Link href={props.path} className={buttonStyles()}>
                Show all {props.what}
              </Link>
            )}
            {props.actions}
          </div>
        </Frame>
      );
    case "no-permission":
      return (
        <Frame
          icon={<Lock aria-hidden="true" />}
          title={`You don’t have access to ${props.what}`}
          page={props.page}
          className={props.className}
        >
          <p>Your role doesn’t include it. An account owner can change your role.</p>
        </Frame>
      );
    default:
      return (
        <Frame icon={props.icon} title={props.title} page={props.page} className={props.className}>
          {props.description && <p>{props.description}</p>}
          {props.actions && <div className="mt-4 flex flex-wrap justify-center gap-2">{props.actions}</div>}
          {props.curl && <Command title={props.curlTitle ?? "curl"} code={props.curl} />}
        </Frame>
      );
  }
}

type FrameProps = {
  icon?: ReactNode;
  title: ReactNode;
  page?: boolean | undefined;
  className?: string | undefined;
  children: ReactNode;
};

function Frame({ icon, title, page = false, className, children }: FrameProps) {
  const Heading = page ? "h1" : "h2";
  return (
    <section className={cn("flex flex-col items-center px-4 py-14 text-center text-[13px] text-soft", className)}>
      {icon && (
        <span className="mb-3 flex size-9 items-center justify-center rounded-md border bg-raised [&>svg]:size-4.5">
          {icon}
        </span>
      )}
      <Heading className="mb-1 font-semibold text-ink text-sm">{title}</Heading>
      <div className="w-full max-w-xl">{children}</div>
    </section>
  );
}

function Command({ title, code }: { title: string; code: string }) {
  return (
    <figure className="mt-4 overflow-hidden rounded-md border bg-raised text-left">
      <figcaption className="flex items-center justify-between border-b py-1 pr-1.5 pl-3 text-xs">
        {title}
        <CopyButton />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="overflow-x-auto" tabIndex={0} aria-label={title}>
        <pre className="w-max px-3 py-2.5 font-mono text-[12.5px] text-ink leading-[1.6]">
          <code>{code}</code>
        </pre>
      </section>
    </figure>
  );
}

/** The user's role doesn't include `what` ("API keys"). */
export function NoPermission({ what }: { what: string }) {
  return <EmptyState kind="no-permission" what={what} />;
}

/** The rows of this page are gone. `children` leads to a page that has some. */
export function PastLastPage({ children }: { children: ReactNode }) {
  return (
    <EmptyState
      title="This page is past the last one"
      description="The list may have changed since."
      actions={children}
    />
  );
}

type NoMatchesProps = {
  /** Plural: "plans". */
  what: string;
  /** Address of the unfiltered list. */
  path: string;
  /** Address of the first page with the current filters. */
  first: string;
  total: number;
};

/** No rows on a page of a list, whose active filters are shown above it. */
export function NoMatches({ what, path, first, total }: NoMatchesProps) {
  if (total === 0) return <EmptyState kind="no-results" what={what} path={path} />;
  return (
    <PastLastPage>
      <Link href={first} className={buttonStyles()}>
        Go to the first page
      </Link>
    </PastLastPage>
  );
}

type WrongFilterProps = {
  /** Plural: "plans". */
  what: string;
  /** Address of the unfiltered list. */
  path: string;
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
};

/** A filter in the address is invalid: show nothing rather than the wrong rows. */
export function WrongFilter({ what, path, issues }: WrongFilterProps) {
  return (
    <Banner
      tone="amber"
      title="This link has an unknown filter"
      actions={
        <Link href={path} className={buttonStyles({ size: "sm" })}>
          Show all {what}
        </Link>
      }
    >
      {issues.map((issue) => `${issue.path.join(".") || "query"}: ${issue.message}`).join(" ")}
    </Banner>
  );
}
