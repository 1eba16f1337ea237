import { expect, test } from "vitest";
import { createApiKeyBody } from "@/lib/contract/api-keys/api-keys";
import { businessName, emailAddress, supportEmail, userName, website } from "./fields";

const key = (name: string, entry = "192.0.2.1") =>
  createApiKeyBody.safeParse({
    attempt: "0123456789abcdef",
    name,
    permissions: [],
    expires_at: null,
    ip_allow_list: [entry],
  });

test.each([
  ["a NUL", "\u0000"],
  ["half of a surrogate pair", "\ud800"],
])("%s, which the database can't store, is rejected in every text field", (_, bad) => {
  expect(emailAddress.safeParse(`a${bad}@b.example`).success).toBe(false);
  expect(supportEmail.safeParse(`a${bad}@b.example`).success).toBe(false);
  expect(website.safeParse(`https://a.example/${bad}`).success).toBe(false);
  for (const field of [userName, businessName]) expect(field.safeParse(`a${bad}b`).success).toBe(false);
  expect(key(`a${bad}b`).success).toBe(false);
  expect(key("a", `a${bad}b`).success).toBe(false);
});

test("all other text is accepted, and an empty form field counts as absent", () => {
  expect(userName.parse(" Zoë 😀 ")).toBe("Zoë 😀");
  expect(emailAddress.parse(" a@b.example ")).toBe("a@b.example");
  expect([website.parse(""), supportEmail.parse("")]).toEqual([null, null]);
  expect(key("Zoë 😀").success).toBe(true);
});
