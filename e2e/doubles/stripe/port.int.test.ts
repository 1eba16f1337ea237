import { afterAll } from "vitest";
import { testCard } from "../../port-suite/calls";
import { portSuite } from "../../port-suite/suite";
import { eventsOf, messageOf } from "./deliveries";
import { startDouble } from "./double";
import { answerChallenge, companyOf, connectorTo } from "./under-test";

const double = await startDouble();
afterAll(() => double.stop());
const company = companyOf(double);

portSuite("Stripe, by its double", {
  processor: connectorTo(double),
  cards: {
    approved: testCard("4242424242424242"),
    declined: testCard("4000000000009995"),
    challenged: testCard("4000000000003220"),
    refundComesBack: testCard("4000000000005126"),
  },
  money: async (reference) => company.money(reference),
  decide: async (account) => company.decide(account),
  giveBack: async (account) => void company.giveBack(account),
  answerChallenge: async (url, passed) => void (await answerChallenge(url, passed)),
  messages: async (account) => eventsOf(double, account).map((event) => messageOf(event)),
  unusedCards: null,
  recordsFirst: false,
});
