import { expect, test } from "vitest";
import type { Processor } from "./port";
import { createRegistry } from "./registry";

const named = (name: string) => ({ name }) as Processor;
const environment = (mode: "test" | "live") => ({ id: "00000000-0000-7000-8000-000000000000", mode });
const payment = { currency: "USD", brand: null };

test("test mode has the sandbox, and live mode has nothing until a connector is configured", async () => {
  const registry = createRegistry({ sandbox: named("sandbox") });
  expect((await registry.choose(environment("test"), payment))?.processor.name).toBe("sandbox");
  expect(await registry.choose(environment("live"), payment)).toBeNull();
  expect(registry.builtIn("live")).toBeNull();
});

test("a configured live processor serves only live mode", async () => {
  const registry = createRegistry({ sandbox: named("sandbox"), live: named("acquirer") });
  expect((await registry.choose(environment("test"), payment))?.processor.name).toBe("sandbox");
  expect((await registry.choose(environment("live"), payment))?.processor.name).toBe("acquirer");
});

test("a processor is known by its name, with the mode it serves", async () => {
  const registry = createRegistry({ sandbox: named("sandbox"), live: named("acquirer") });
  expect((await registry.reporter("acquirer"))?.mode).toBe("live");
  expect((await registry.reporter("sandbox"))?.mode).toBe("test");
  expect(await registry.reporter("other")).toBeNull();
});

test("a payment of a connection is not at the processor that is built in", async () => {
  const registry = createRegistry({ sandbox: named("sandbox") });
  expect((await registry.find(environment("test"), null))?.processor.name).toBe("sandbox");
  expect(await registry.find(environment("test"), "00000000-0000-7000-8000-000000000001")).toBeNull();
});
