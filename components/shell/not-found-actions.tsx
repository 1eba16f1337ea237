"use client";

import Link from "next/link";
import { useParams, usePathname } from "next/navigation";
import { Button } from "@/components/ui/button";
import { buttonStyles } from "@/components/ui/styles";
import { useShellDialog } from "./shell-dialogs";

/** Links from a missing page: the same address in the other mode, and the palette. */
export function NotFoundActions() {
  const { mode } = useParams<{ mode: string }>();
  const pathname = usePathname();
  const openDialog = useShellDialog();
  const other = mode === "test" ? "live" : "test";
  return (
    <>
      <Link href={pathname.replace(`/${mode}`, `/${other}`)} prefetch={false} className={buttonStyles()}>
        Look in {other} mode
      </Link>
      <Button onClick={() => openDialog("palette")}>Search</Button>
    </>
  );
}
