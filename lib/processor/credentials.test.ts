import { describe, expect, test } from "vitest";
import { credentials as adyen } from "./adyen/credentials";
import { credentials as stripe } from "./stripe/credentials";

const API_KEY = "AQEyhmfxK4LNbxZEw0m/n3Q5qf3VaY9UCJ1+XWZe9W27jmlZ-V0CIk=-i1i{=yM;5[bGJ>/";
const refusalOf = (result: ReturnType<typeof adyen.safeParse> | ReturnType<typeof stripe.safeParse>) => {
  const [issue] = result.error?.issues ?? [];
  return issue && { field: issue.path.join("."), message: issue.message };
};

describe("a value that a request cannot carry is refused at its field", () => {
  const keyOf = (api_key: string) => adyen.safeParse({ api_key, merchant_account: "ExampleShopECOM" });

  test.each([
    ["dots in place of its middle", API_KEY.replace("Y9UCJ1", "…")],
    ["a line break inside", API_KEY.replace("Y9UCJ1", "Y9U\nCJ1")],
    ["a space inside", API_KEY.replace("Y9UCJ1", "Y9U CJ1")],
  ])("an API key of Adyen's with %s", (_what, key) => {
    expect(refusalOf(keyOf(key))).toEqual({
      field: "api_key",
      message: "An API key has only letters, digits and plain signs, and no spaces: copy it whole.",
    });
  });

  test("an Adyen API key is accepted with every valid character, and trimmed", () => {
    expect(keyOf(` ${API_KEY}\r\n`).data).toMatchObject({ api_key: API_KEY });
    expect(refusalOf(keyOf("AQEyhmfx…"))).toMatchObject({ message: "An API key is longer: copy it whole." });
  });

  test("a key or a signing secret of Stripe's", () => {
    const [secret_key, webhook_secret] = ["sk_test_51ABCdef", "whsec_51ABCdef"];
    expect(stripe.safeParse({ secret_key: ` ${secret_key}\n`, webhook_secret: ` ${webhook_secret}\n` }).data).toEqual({
      secret_key,
      webhook_secret,
    });
    for (const wrong of ["sk_test_51…def", "sk_test_51\ndef"])
      expect(refusalOf(stripe.safeParse({ secret_key: wrong }))).toMatchObject({ field: "secret_key" });
    for (const wrong of ["whsec_51…def", "whsec_51\ndef"])
      expect(refusalOf(stripe.safeParse({ secret_key, webhook_secret: wrong }))).toMatchObject({
        field: "webhook_secret",
      });
  });
});
