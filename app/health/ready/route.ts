export const dynamic = "force-dynamic";
export { ready as GET } from "@/lib/http/health";
