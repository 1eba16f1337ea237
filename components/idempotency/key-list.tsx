import { Search } from "lucide-react";
import Form from "next/form";
import Link from "next/link";
import { HttpStatus } from "@/components/payments/request-list";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/field";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { shortPath } from "@/lib/contract/format";
import type { KeyPage, KeySummary } from "@/lib/contract/idempotency/idempotency-key";
import { KeyStateBadge } from "./key-detail";

type KeyListProps = { page: KeyPage; path: string; isFirstPage: boolean };

/** The latest keys, each linked to its request's result. */
export function KeyList({ page, path, isFirstPage }: KeyListProps) {
  const last = page.keys.at(-1);
  return (
    <>
      {/* On narrow screens a row's cells stack. */}
      <table className="w-full text-left text-[13px] max-md:block">
        <caption className="sr-only">Idempotency keys, newest first</caption>
        <thead className="text-soft text-xs max-md:sr-only">
          <tr className="border-b [&>th]:whitespace-nowrap [&>th]:py-1.5 [&>th]:pr-6 [&>th:last-child]:pr-0 [&>th]:font-medium">
            <th scope="col">Key</th>
            <th scope="col">First request</th>
            <th scope="col">State</th>
            <th scope="col">Used again</th>
            <th scope="col" className="text-right">
              Created
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {page.keys.map((row) => (
            <KeyRow key={row.key} row={row} path={path} />
          ))}
        </tbody>
      </table>
      <nav aria-label="Pages" className="mt-4 flex items-center justify-between gap-4 text-[13px] text-soft">
        <p>Keys are kept for 24 hours after their first use.</p>
        <div className="flex gap-2">
          {!isFirstPage && (
            <Link href={path} className={buttonStyles({ size: "sm" })}>
              Newest
            </Link>
          )}
          {page.has_more && last && (
            <Link href={`${path}?after=${encodeURIComponent(last.key)}`} className={buttonStyles({ size: "sm" })}>
              Older
            </Link>
          )}
        </div>
      </nav>
    </>
  );
}

function KeyRow({ row, path }: { row: KeySummary; path: string }) {
  return (
    <tr className="relative border-b hover:bg-raised max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-x-3 max-md:gap-y-1 max-md:py-2 md:[&>*]:py-2 md:[&>*:last-child]:pr-0 md:[&>*]:pr-6">
      <th scope="row" className="max-w-72 truncate font-normal max-md:w-full max-md:max-w-full">
        <Link
          href={`${path}?key=${encodeURIComponent(row.key)}`}
          className="font-mono text-accent text-xs after:absolute after:inset-0 hover:underline"
        >
          {row.key}
        </Link>
      </th>
      <td className="max-w-80 truncate font-mono text-xs max-md:w-full max-md:max-w-full">
        <span className="font-medium">{row.method}</span> <span title={row.path}>{shortPath(row.path)}</span>
      </td>
      <td className="whitespace-nowrap">
        <span className="inline-flex items-center gap-1.5">
          <KeyStateBadge state={row.state} />
          {row.status !== null && <HttpStatus status={row.status} />}
        </span>
      </td>
      <td className="whitespace-nowrap">
        <UsedAgain row={row} />
      </td>
      <td className="text-right max-md:ml-auto">
        <span className="relative">
          <Time at={row.created_at} className="text-soft" />
        </span>
      </td>
    </tr>
  );
}

function UsedAgain({ row }: { row: KeySummary }) {
  const { replay_count: replays, reuse_count: reuses } = row;
  if (replays === 0 && reuses === 0) return <span className="text-soft max-md:hidden">–</span>;
  return (
    <>
      {replays > 0 && (replays === 1 ? "1 replay" : `${replays} replays`)}
      {replays > 0 && reuses > 0 && ", "}
      {reuses > 0 && <span className="text-red">{reuses} refused</span>}
    </>
  );
}

/** Looks a key up. Keys are compared exactly, so nothing is searched while typing. */
export function KeySearch({ path, value }: { path: string; value: string }) {
  return (
    <search>
      <Form action={path} className="mb-4 flex max-w-2xl items-end gap-2">
        <div className="min-w-0 flex-1">
          <label htmlFor="idempotency-key" className="mb-1 block font-medium text-[13px]">
            Find a key
          </label>
          <Input
            key={value}
            id="idempotency-key"
            name="key"
            defaultValue={value}
            required
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
            placeholder="The exact X-Idempotency-Key"
            className="font-mono"
          />
        </div>
        <Button type="submit" icon={<Search aria-hidden="true" />}>
          Inspect
        </Button>
      </Form>
    </search>
  );
}
