export const dynamic = "force-dynamic";
export { live as GET } from "@/lib/http/health";
