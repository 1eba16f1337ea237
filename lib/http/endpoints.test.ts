import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EXAMPLES } from "@/lib/contract/examples";
import { OPERATIONS } from "@/lib/contract/operations";
import { findEndpoint } from "./endpoints";

const routeFiles = readdirSync("app/v1", { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith("route.ts") && !file.includes("[[...path]]"),
);

/** `payments/[id]/capture/route.ts` → `/v1/payments/{id}/capture` */
const pathOfFile = (file: string) => `/v1/${file.replace("/route.ts", "").replace("[id]", "{id}")}`;

describe("the contract, the verbs and app/v1 name the same endpoints", () => {
  test.each(OPERATIONS.map((operation) => [operation.name, operation] as const))("%s", (name, operation) => {
    const file = routeFiles.find((candidate) => pathOfFile(candidate) === operation.path);
    expect(file, `no route file for ${operation.path}`).toBeDefined();
    expect(readFileSync(`app/v1/${file}`, "utf8")).toMatch(new RegExp(`route\\([^)]*\\b${name}\\b`));
    if (operation.permissions.length > 0) expect(findEndpoint(operation), `no verb for ${name}`).not.toBeNull();
    expect(EXAMPLES, `no example for ${name}`).toHaveProperty(name);
  });

  test("no route file serves a path that the contract does not know", () => {
    const known = new Set(OPERATIONS.map((operation) => operation.path));
    expect(routeFiles.map(pathOfFile).filter((path) => !known.has(path))).toEqual([]);
  });
});
