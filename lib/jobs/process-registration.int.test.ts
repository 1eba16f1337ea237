import { beforeEach, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { registerProcess } from "./process-registration";

const { db } = await testDatabase();
const at = (baseUrl: string) => registerProcess(testService(db, { baseUrl }));
const processes = async () => (await db.sql`select 1 from service_settings where key like 'process:%'`).length;
const PAY = "https://pay.example";
const OTHER = "https://other.example";

beforeEach(async () => {
  await db.sql`delete from service_settings where key like 'process:%'`;
});

test("processes with one base URL can run together, and each unregisters only itself", async () => {
  const [one, two] = [await at(PAY), await at(PAY)];
  await one();
  expect(await processes()).toBe(1);
  await expect(at(OTHER)).rejects.toThrow(
    `Another process uses this database as ${PAY}, and this one would as ${OTHER}: give both the same BASE_URL.`,
  );
  await two();
  expect(await processes()).toBe(0);
  await (await at(OTHER))();
});

test("of two processes that start concurrently with two base URLs, one starts", async () => {
  for (let round = 0; round < 5; round++) {
    const starts = await Promise.allSettled([at(PAY), at(OTHER)]);
    expect(starts.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    for (const start of starts) if (start.status === "fulfilled") await start.value();
  }
});

test("ports of one machine can run together, but not with a public base URL", async () => {
  const leave = [await at("http://127.0.0.1:3000"), await at("http://localhost:3001")];
  await expect(at(PAY)).rejects.toThrow("http://127.0.0.1:3000");
  for (const end of leave) await end();
  const end = await at(PAY);
  await expect(at("http://localhost:3000")).rejects.toThrow(PAY);
  await end();
});

test.each(["- interval '61 seconds'", "+ interval '2 hours'"])(
  "a killed process no longer counts: last seen at now() %s",
  async (when) => {
    await db.sql.unsafe(`insert into service_settings (key, value)
      select 'process:killed', floor(extract(epoch from now() ${when}) * 1000)::text || ' ${PAY}'`);
    const end = await at(OTHER);
    expect(await processes()).toBe(1);
    await end();
  },
);
