import { redirect } from "next/navigation";

type DevelopersPageProps = { params: Promise<{ mode: string }> };

export default async function DevelopersPage({ params }: DevelopersPageProps) {
  redirect(`/${(await params).mode}/developers/api-keys`);
}
