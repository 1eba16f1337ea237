import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { createRateLimiter } from "./rate-limit";

function limiterAt(options: { perSecond: number; burst: number }) {
  let time = 0;
  const limiter = createRateLimiter({ ...options, now: () => time });
  return {
    wait: (ms: number) => {
      time += ms;
    },
    take(key = "a") {
      try {
        return { ok: true, headers: limiter.take(key) as Record<string, string> };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        expect(error.code).toBe("rate_limited");
        return { ok: false, headers: error.headers };
      }
    },
  };
}

test("an idle key may send its full burst immediately, and no request more", () => {
  const limiter = limiterAt({ perSecond: 100, burst: 200 });
  for (let i = 0; i < 200; i++) expect(limiter.take().ok).toBe(true);
  expect(limiter.take().ok).toBe(false);
});

test("after the burst one request passes every 10 ms, and refused ones cost nothing", () => {
  const limiter = limiterAt({ perSecond: 100, burst: 200 });
  for (let i = 0; i < 200; i++) limiter.take();
  for (let i = 0; i < 500; i++) {
    limiter.wait(9);
    expect(limiter.take().ok).toBe(false);
    limiter.wait(1);
    expect(limiter.take().ok).toBe(true);
  }
});

test("each key has its own bucket", () => {
  const limiter = limiterAt({ perSecond: 1, burst: 1 });
  expect(limiter.take("a").ok).toBe(true);
  expect(limiter.take("b").ok).toBe(true);
  expect(limiter.take("a").ok).toBe(false);
});

test("responses state the policy, the remaining requests, and when the bucket is full again", () => {
  const limiter = limiterAt({ perSecond: 100, burst: 200 });
  expect(limiter.take().headers).toEqual({
    "RateLimit-Policy": '"default";q=200;w=2',
    RateLimit: '"default";r=199;t=1',
  });
  for (let i = 0; i < 149; i++) limiter.take();
  expect(limiter.take().headers.RateLimit).toBe('"default";r=49;t=2');
});

test("a refusal states the same, and a Retry-After of at least one whole second", () => {
  const quick = limiterAt({ perSecond: 100, burst: 1 });
  quick.take();
  expect(quick.take().headers).toEqual({
    "RateLimit-Policy": '"default";q=1;w=1',
    RateLimit: '"default";r=0;t=1',
    "Retry-After": "1",
  });
});

test("whatever the timing, no period allows more than the burst plus its refill", () => {
  const waits = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), (steps, perSecond, burst) => {
      const limiter = limiterAt({ perSecond, burst });
      let tokens = burst;
      for (const ms of steps) {
        limiter.wait(ms);
        tokens = Math.min(burst, tokens + (ms * perSecond) / 1000);
        const expected = tokens >= 1 - 1e-6;
        expect(limiter.take().ok).toBe(expected);
        if (expected) tokens -= 1;
      }
    }),
  );
});

test("thousands of idle keys are forgotten without gaining requests", () => {
  const limiter = limiterAt({ perSecond: 1, burst: 1 });
  limiter.take("steady");
  limiter.wait(500);
  for (let i = 0; i < 25_000; i++) limiter.take(`key ${i}`);
  expect(limiter.take("steady").ok).toBe(false);
  limiter.wait(500);
  expect(limiter.take("steady").ok).toBe(true);
});
