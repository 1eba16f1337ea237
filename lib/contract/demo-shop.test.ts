import { expect, test } from "vitest";
import { withoutSecrets } from "./demo-shop";

test("tokens and keys are hidden everywhere, and nothing else is", () => {
  const answer = {
    id: "cs_01kaggamgge4kca9s0x8zy9vhs",
    client_session_token: "cst_AbC-123_x",
    iframe_url: "http://localhost:3000/pay/cst_AbC-123_x?origin=x",
    calls: [{ key: "sk_test_gCXabQ", payment_token: "tok_01kaggamgge4kca9s0x8zy9vhs", amount: 5, none: null }],
    next_action: { redirect_to_url: { url: "http://localhost:3000/challenge/ch_secret-1" } },
  };
  expect(withoutSecrets(answer)).toEqual({
    id: "cs_01kaggamgge4kca9s0x8zy9vhs",
    client_session_token: "cst_•••",
    iframe_url: "http://localhost:3000/pay/cst_•••?origin=x",
    calls: [{ key: "sk_test_•••", payment_token: "tok_•••", amount: 5, none: null }],
    next_action: { redirect_to_url: { url: "http://localhost:3000/challenge/•••" } },
  });
});
