import { expect, test } from "vitest";
import type { Processor } from "./port";
import { createRegistry } from "./registry";

const named = (name: string) => ({ name }) as Processor;

test("test mode has the sandbox, and live mode has nothing until a connector is configured", () => {
  const registry = createRegistry({ sandbox: named("sandbox") });
  expect(registry.processorFor("test")?.name).toBe("sandbox");
  expect(registry.processorFor("live")).toBeNull();
});

test("a configured live connector serves live mode alone", () => {
  const registry = createRegistry({ sandbox: named("sandbox"), live: named("acquirer") });
  expect(registry.processorFor("test")?.name).toBe("sandbox");
  expect(registry.processorFor("live")?.name).toBe("acquirer");
});
