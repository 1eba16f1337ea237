import { AppError } from "@/lib/contract/errors";

export const lastOwner = () =>
  new AppError(
    "invalid_state",
    "This is the last owner who can sign in. Make somebody else an owner first: an account without one could not be managed any more.",
  );
