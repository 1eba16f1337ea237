import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeId, encodeId, idOf } from "./ids";

describe("public ids", () => {
  test("are TypeIDs: the specification's own example", () => {
    expect(encodeId("payment", "01890a5d-ac96-774b-bcce-b302099a8057")).toBe("pay_01h455vb4pex5vsknk084sn02q");
  });

  test("decode to the UUID they encode, for every UUID", () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const id = encodeId("transaction", uuid);
        expect(decodeId("transaction", id)).toBe(uuid);
        expect(idOf("transaction").safeParse(id).success).toBe(true);
      }),
    );
  });

  test.each([
    "pay_01h455vb4pex5vsknk084sn02q",
    "txn_01h455vb4pex5vsknk084sn02",
    "txn_01h455vb4pex5vsknk084sn02qq",
    "txn-01h455vb4pex5vsknk084sn02q",
    "txn_81h455vb4pex5vsknk084sn02q",
    "txn_01H455VB4PEX5VSKNK084SN02Q",
    "txn_01h455vb4pex5vsknk084sn02u",
    "txn_01h455vb4pex5vsknk084sn02é",
    "txn_",
    "",
  ])("of another kind, length or alphabet are invalid: %j", (text) => {
    expect(decodeId("transaction", text)).toBeNull();
  });
});
