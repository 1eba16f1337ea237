import { redirect } from "next/navigation";
import { signedInMerchant } from "./page";

/** For pages of people who are not signed in: whoever is goes on to `path`. */
export async function signedOutPage(path: string): Promise<void> {
  if (await signedInMerchant()) redirect(path);
}
