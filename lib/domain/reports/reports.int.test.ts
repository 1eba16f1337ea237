import { expect, test } from "vitest";
import { REPORT_CHECKS } from "@/db/queries/reconciliation/figures";
import { insertBookedPayment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { insertPaying } from "@/e2e/fixtures/subscription-rows";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { createReportBody, type Report } from "@/lib/contract/reports/report";
import { REPORT_TYPES, type ReportRow } from "@/lib/contract/reports/report-types";
import { newId } from "@/lib/ids";
import { openReport } from "./read-report";
import { createReport, findReportFile, getReport, listReports, prepareReports, subjectOf } from "./reports";

const { db } = await testDatabase({ own: true });
const { call, service } = await testTenant(db);
// Ends tomorrow, so that what these tests book after a midnight is in it, too.
const [from, to] = [0, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
const asked = (changes: object = {}) =>
  createReportBody.parse({ type: "activity", from, to, time_zone: "UTC", ...changes });
const created = async (changes: object = {}) =>
  JSON.parse(
    (
      await createReport(
        call({ request: { id: newId(), endpoint: "createReport", path: "/v1/reports" } }),
        asked(changes),
      )
    ).body,
  ) as Report;
const ready = async (changes: object = {}) => {
  const { id } = await created(changes);
  while ((await prepareReports(service)) > 0);
  return getReport(call(), { id });
};
const tokenOf = ({ file_url }: Report) => file_url?.split("/").at(-1) ?? "";

test("a report is pending until a job adds it up, then has its totals and a file", async () => {
  await insertBookedPayment(db, { environmentId: call().environment.id, amount: 1_000, feeBasisPoints: 290 });
  const report = await created();
  expect(report).toMatchObject({ status: "PENDING", rows: null, totals: null, file_url: null, time_zone: "UTC" });
  await prepareReports(service);
  const done = await getReport(call(), { id: report.id });
  expect(done).toMatchObject({
    status: "READY",
    rows: 1,
    totals: [{ currency: "EUR", rows: 1, amounts: { captures: 1, gross: 1_000, fees: 29, refunds: 0, net: 971 } }],
    failure_reason: null,
  });
  expect((await findReportFile(service, tokenOf(done)))?.record.id).toBeTruthy();
  expect((await listReports(call(), {})).data.map(({ id }) => id)).toContain(report.id);
  expect(await prepareReports(service)).toBe(0);
});

test("a report of a day that is not over keeps its rows, whatever is booked before its file is read", async () => {
  const environmentId = call().environment.id;
  for (const type of ["activity", "transactions", "balance"] as const) {
    await insertBookedPayment(db, { environmentId, amount: 700 });
    const report = await ready({ type });
    const fileOf = async () => {
      const found = await findReportFile(service, tokenOf(report));
      if (!found) throw new Error("no file");
      const opened = await openReport({ service, environment: found.environment }, subjectOf(found.record));
      const rows: ReportRow[] = [];
      for await (const batch of opened.batches) rows.push(...batch);
      await opened.close();
      return rows;
    };
    const rows = await fileOf();
    expect(rows).toHaveLength(report.rows ?? 0);
    await db.sql`select pg_sleep(0.01)`;
    await insertBookedPayment(db, { environmentId, amount: 50 });
    expect(await fileOf(), type).toEqual(rows);
    expect((await ready({ type })).totals).not.toEqual(report.totals);
  }
});

test("a report of a day that has just ended waits for what is dated in it and committed later", async () => {
  const { id } = await created();
  const endedAgo = async (time: string) => {
    await db.sql`update reports set starts_at = now() - interval '1 day', ends_at = now() - ${time}::interval, created_at = now()
      where id = ${decodeId("report", id)}`;
    await prepareReports(service);
    return (await getReport(call(), { id })).status;
  };
  expect(await endedAgo("1 second")).toBe("PENDING");
  // T2 accepts times up to a minute old.
  expect(await endedAgo("75 seconds")).toBe("PENDING");
  expect(await endedAgo("91 seconds")).toBe("READY");
});

test("a report of days to come is empty", async () => {
  const report = await ready({ from: "2990-01-01", to: "2990-12-31" });
  expect(report).toMatchObject({ status: "READY", rows: 0, totals: [] });
});

test("its days are the business's by default, and from may not follow to", async () => {
  await db.sql`update merchants set time_zone = 'Asia/Tokyo' where id = ${call().environment.merchantId}`;
  const report = await created({ time_zone: null, from: "2026-03-01", to: "2026-03-31" });
  expect(report).toMatchObject({ time_zone: "Asia/Tokyo", from: "2026-03-01", to: "2026-03-31" });
  const [row] = await db.sql`select starts_at, ends_at from reports where time_zone = 'Asia/Tokyo'`;
  expect(row).toEqual({ starts_at: "2026-02-28T15:00:00.000Z", ends_at: "2026-03-31T15:00:00.000Z" });
  await expect(created({ time_zone: null, from: "2026-03-02", to: "2026-03-01" })).rejects.toMatchObject({
    code: "invalid_parameter",
    errors: [{ param: "from", message: "from must not be later than to." }],
  });
  expect(createReportBody.safeParse({ ...asked(), to: "2026-02-30" }).success).toBe(false);
});

test("a time stands for its day in the report's time zone", async () => {
  const time_zone = "Asia/Tokyo";
  const report = await created({ time_zone, from: "2026-03-01T14:59:59.999Z", to: "2026-03-31T17:00:00+02:00" });
  expect(report).toMatchObject({ time_zone, from: "2026-03-01", to: "2026-04-01" });
  const mixed = await created({ time_zone, from: "2026-03-02", to: "2026-03-01T15:00:00Z" });
  expect(mixed).toMatchObject({ from: "2026-03-02", to: "2026-03-02" });
  const backwards = created({ time_zone, from: "2026-03-02", to: "2026-03-01T14:59:59Z" });
  await expect(backwards).rejects.toMatchObject({ code: "invalid_parameter" });
  const within = await created({ time_zone, from: "2026-03-02T00:00:01Z", to: "2026-03-02T00:00:00Z" });
  expect(within).toMatchObject({ from: "2026-03-02", to: "2026-03-02" });
  for (const to of ["Visa", "2026-13-01", "", "٢٠٢٦-٠٣-٠٢"]) {
    expect(createReportBody.safeParse({ ...asked(), from: "2026-03-02", to }).success, to).toBe(false);
  }
  for (const [moment, zone] of [
    ["1970-01-02T00:00:00Z", "America/Los_Angeles"],
    ["9999-12-30T23:59:59Z", time_zone],
  ] as const) {
    const beyond = created({ from: moment, to: moment, time_zone: zone });
    await expect(beyond).rejects.toMatchObject({ code: "invalid_parameter" });
  }
});

test("a file's address is valid for an hour, and only as it was given", async () => {
  const token = tokenOf(await ready());
  const [environment, report, endsAt, mac] = token.split(".") as [string, string, string, string];
  const at = (ms: number) =>
    findReportFile({ ...service, clock: { ...service.clock, now: () => new Date(ms) } }, token);
  const endMs = Number(endsAt) * 1_000;
  expect(endMs - Date.now()).toBeGreaterThan(59 * 60_000);
  expect(endMs - Date.now()).toBeLessThanOrEqual(60 * 60_000);
  expect((await at(endMs - 1))?.isOver).toBe(false);
  expect((await at(endMs))?.isOver).toBe(true);
  const other = encodeId("report", "019aa6f0-3d20-7b18-9c64-1f7e5a2d8b03");
  for (const forged of [
    [environment, report, `${Number(endsAt) + 1}`, mac],
    [environment, other, endsAt, mac],
    [environment, report, endsAt, `${mac.slice(0, -1)}${mac.endsWith("A") ? "B" : "A"}`],
    [environment, report, endsAt, mac, "x"],
    [environment, report, endsAt],
    ["x"],
  ])
    expect(await findReportFile(service, forged.join(".")), forged.join(".")).toBeNull();
});

test("many reports of one business keep no other business waiting, and wait themselves at some number", async () => {
  while ((await prepareReports(service)) > 0);
  const other = await testTenant(db);
  for (let n = 0; n < 100; n++) await created();
  await expect(created()).rejects.toMatchObject({ code: "rate_limited" });
  const request = { id: newId(), endpoint: "createReport", path: "/v1/reports" };
  const { id } = JSON.parse((await createReport(other.call({ request }), asked())).body) as Report;
  await prepareReports(service);
  expect(await getReport(other.call(), { id })).toMatchObject({ status: "READY" });
  while ((await prepareReports(service)) > 0);
});

test("a report that cannot be added up fails, and says what to do", async () => {
  const { id } = await created();
  await db.sql`update reports set time_zone = 'Nowhere/Else' where id = ${decodeId("report", id)}`;
  await prepareReports(service);
  expect(await getReport(call(), { id })).toMatchObject({
    status: "FAILED",
    failure_reason: "The report could not be added up. Create it again.",
    file_url: null,
  });
});

test.each(REPORT_TYPES)("the books prove the totals of %s, and show a cent too much", async (type) => {
  if (type === "subscriptions") {
    const terms = { amount: 500, months: 1, at: "2026-01-01T00:00:00.000Z" };
    await insertPaying(db.sql, call().environment.id, terms);
  }
  const { id } = await ready({ type });
  const wrong = () =>
    db.sql.unsafe(`select * from (${REPORT_CHECKS[0]?.sql}) wrong where report_id = $1`, [
      decodeId("report", id) ?? "",
    ]);
  // Only days that were over are proved.
  await db.sql`update reports set created_at = ends_at where id = ${decodeId("report", id)}`;
  expect(await wrong()).toHaveLength(0);
  const key = { fees: "fee", balance: "balance", subscriptions: "mrr" }[type as string] ?? "net";
  await db.sql`update reports set totals = jsonb_set(totals, ${["0", "amounts", key]}::text[], '12345') where id = ${decodeId("report", id)}`;
  // Nothing was paid out, so its report has no totals to change; those of disputes follow the processor.
  expect(await wrong()).toHaveLength(type === "payouts" || type === "disputes" ? 0 : 1);
});
