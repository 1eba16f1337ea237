import { expect, test } from "vitest";
import { dispositionOf } from "./evidence-file";

test.each([
  ["proof.pdf", "proof.pdf", "proof.pdf"],
  [
    "Lieferschein Müller & Söhne.pdf",
    "Lieferschein Muller & Sohne.pdf",
    "Lieferschein%20M%C3%BCller%20%26%20S%C3%B6hne.pdf",
  ],
  ["فاتورة.pdf", "file.pdf", "%D9%81%D8%A7%D8%AA%D9%88%D8%B1%D8%A9.pdf"],
  ["חשבונית 12.png", "12.png", "%D7%97%D7%A9%D7%91%D7%95%D7%A0%D7%99%D7%AA%2012.png"],
  ["納品書", "file", "%E7%B4%8D%E5%93%81%E6%9B%B8"],
  ['a"; filename="b.html', "a__ filename=_b.html", "a%22%3B%20filename%3D%22b.html"],
  ["../etc/it's (1)*.pdf", "file.._etc_it's (1)*.pdf", "..%2Fetc%2Fit%27s%20%281%29%2A.pdf"],
  ["100 %.jpg", "100 _.jpg", "100%20%25.jpg"],
])("the download of %s is an attachment, whose name no client can misread", (name, plain, encoded) => {
  const header = dispositionOf(name);
  expect(header).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${encoded}`);
  expect(header).toMatch(/^[\x20-\x7e]+$/);
});
