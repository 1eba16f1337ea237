import type { Service } from "@/lib/domain/context";
import { env } from "@/lib/env";
import { buildOpenApi } from "./openapi";

let text: string | null = null;

/** The OpenAPI document as it is sent; made once, since it depends on the configuration alone. */
export function openApiText(service: Service): string {
  text ??= JSON.stringify(
    buildOpenApi({ baseUrl: service.baseUrl, sandboxBaseUrl: env.sandboxBaseUrl, liveBaseUrl: env.liveBaseUrl }),
  );
  return text;
}
