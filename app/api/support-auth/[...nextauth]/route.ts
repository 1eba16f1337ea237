import { signInRoutes } from "@/lib/http/sign-in-routes";

export const { GET, POST } = signInRoutes("staff");
