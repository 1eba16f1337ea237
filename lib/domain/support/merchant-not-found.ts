import { AppError } from "@/lib/contract/errors";

export const merchantNotFound = (id: string) => new AppError("resource_not_found", `There is no merchant '${id}'.`);
