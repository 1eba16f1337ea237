import { notFound } from "next/navigation";

/** An address without a page, said within the dashboard. */
export default function NoSuchPage() {
  notFound();
}
