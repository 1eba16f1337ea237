import type { Service } from "@/lib/domain/context";
import { env } from "@/lib/env";
import { buildOpenApi } from "./openapi";

let text: string | null = null;

/**
 * The OpenAPI document as it is sent; made once, since it depends on the configuration alone. All ASCII: a text with one other
 * character takes two bytes for each, and two milliseconds each time to be written as UTF-8.
 */
export function openApiText(service: Service): string {
  text ??= JSON.stringify(
    buildOpenApi({ baseUrl: service.baseUrl, sandboxBaseUrl: env.sandboxBaseUrl, liveBaseUrl: env.liveBaseUrl }),
  ).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text;
}
