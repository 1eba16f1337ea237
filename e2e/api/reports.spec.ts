import { createReport, getReport, listReports } from "@/lib/contract/reports/endpoints";
import type { Report } from "@/lib/contract/reports/report";
import { REPORT_TYPES } from "@/lib/contract/reports/report-types";
import type { Api } from "../client";
import { expect, test } from "../fixtures/playwright";
import { captured } from "../samples";

const RANGE = { from: "2020-01-01", to: "2099-12-31", time_zone: "UTC" } as const;

async function ready(api: Api, body: object): Promise<Report> {
  const { id, status } = (await api.call(createReport, { body })).ok();
  expect(status).toBe("PENDING");
  await expect.poll(async () => (await api.call(getReport, { id })).ok().status).toBe("READY");
  return (await api.call(getReport, { id })).ok();
}

const download = async ({ file_url }: Report) => {
  const response = await fetch(file_url ?? "");
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};

test("a report becomes ready, and its file adds up to its totals and to the same bytes again", async ({ api }) => {
  const payment = await captured(api, { amount: 20_000 });
  await captured(api, { amount: 1_999 });
  for (const type of REPORT_TYPES) {
    const report = await ready(api, { ...RANGE, type });
    const first = await download(report);
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const again = await download((await api.call(getReport, { id: report.id })).ok());
    expect(again.bytes.equals(first.bytes), type).toBe(true);
    const [head = "", ...lines] = first.bytes.toString().trimEnd().split("\n");
    expect(lines.length === 0 || lines[0] !== "", type).toBe(true);
    expect(head.split(",")).toContain("currency");
    if (report.rows !== 0) expect(lines, type).toHaveLength(report.rows ?? -1);
  }
  const transactions = await ready(api, { ...RANGE, type: "transactions", format: "csv_excel", locale: "de-DE" });
  expect(transactions.totals).toMatchObject([{ currency: "USD", rows: 2, amounts: { amount: 21_999 } }]);
  const { bytes } = await download(transactions);
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  expect(bytes.toString()).toContain(`;${payment.id};USD;200,00;`);
  const workbook = await download(await ready(api, { ...RANGE, type: "activity", format: "xlsx" }));
  expect(workbook.bytes.subarray(0, 2).toString()).toBe("PK");
});

test("a key creates one report, and invalid ones are refused", async ({ api }) => {
  const body = { ...RANGE, type: "fees" } as const;
  const made = await api.call(createReport, { body, key: "month" });
  const again = await api.call(createReport, { body, key: "month" });
  expect([again.replayed, again.text]).toEqual([true, made.text]);
  expect((await api.call(listReports, {})).ok()).toMatchObject({ total: 1, data: [{ id: made.ok().id }] });
  (await api.call(createReport, { body: { ...body, from: "2026-02-30" } })).problem("invalid_parameter");
  (await api.call(createReport, { body: { ...body, to: "2019-12-31" } })).problem("invalid_parameter");
  (await api.call(createReport, { body: { ...body, time_zone: "Nowhere/Else" } })).problem("invalid_parameter");
  const { id, ...named } = { ...made.ok() };
  expect(named.object).toBe("report");
  (await api.call(getReport, { id: `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}` })).problem(
    "resource_not_found",
  );
});

test("a changed address of a file is not found", async ({ api }) => {
  const report = await ready(api, { ...RANGE, type: "balance" });
  const changed = await fetch(`${report.file_url}x`);
  expect(changed.status).toBe(404);
  expect(await changed.json()).toMatchObject({ code: "resource_not_found" });
});
