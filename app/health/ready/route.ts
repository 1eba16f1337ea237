import { onlyGet, ready } from "@/lib/http/health";

export const dynamic = "force-dynamic";
export { onlyGet as DELETE, onlyGet as OPTIONS, onlyGet as PATCH, onlyGet as POST, onlyGet as PUT, ready as GET };
