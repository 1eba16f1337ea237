import { captureTransaction } from "@/lib/contract/transactions/operations";
import { route } from "@/lib/http/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(captureTransaction);
