import Link from "next/link";
import { Banner } from "./banner";
import { buttonStyles } from "./button";

type WrongFilterProps = {
  /** In the plural: "plans". */
  what: string;
  /** Of the list without filters. */
  path: string;
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
};

/** What an address asks of a list wrongly: nothing is shown rather than something else. */
export function WrongFilter({ what, path, issues }: WrongFilterProps) {
  return (
    <Banner
      tone="amber"
      title="This address has a filter that does not exist"
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
