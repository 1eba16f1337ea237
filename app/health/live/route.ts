import { live, onlyGet } from "@/lib/http/health";

export const dynamic = "force-dynamic";
export { live as GET, onlyGet as DELETE, onlyGet as OPTIONS, onlyGet as PATCH, onlyGet as POST, onlyGet as PUT };
