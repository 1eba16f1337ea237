import { expect, test } from "vitest";
import type { Processor } from "./port";
import { createRegistry } from "./port";

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

test("a processor is known by its name, with the mode it serves", () => {
  const registry = createRegistry({ sandbox: named("sandbox"), live: named("acquirer") });
  expect(registry.named("acquirer")?.mode).toBe("live");
  expect(registry.named("sandbox")?.mode).toBe("test");
  expect(registry.named("other")).toBeNull();
});
