import { Webhook } from "standardwebhooks";
import { getEvent, listEvents } from "@/lib/contract/events/endpoints";
import { createPlan } from "@/lib/contract/plans/endpoints";
import { getWebhookEndpoint, testWebhookEndpoint } from "@/lib/contract/webhooks/endpoints";
import { test as base, chooseFilter, expectAccessible, expectWellInEveryLook } from "../browser";
import { expect } from "../fixtures/playwright";
import { openReceiver, type Receiver, status } from "../fixtures/webhooks";
import { aPlan, captured, newEndpoint } from "../samples";
import { opens } from "./money-dialogs";

const PAGE = "/test/developers/webhooks";

const test = base.extend<{ receiver: Receiver }>({
  receiver: async ({ host: _ }, use) => {
    const receiver = await openReceiver();
    await use(receiver);
    await receiver.close();
  },
});

test("an endpoint is created, tested and watched, and its secret is shown once", async ({ owner, api, receiver }) => {
  await owner.goto(PAGE);
  await expect(owner.getByRole("heading", { name: "No webhook endpoints yet" })).toBeVisible();
  const dialog = owner.getByRole("dialog", { name: "New endpoint" });
  await opens(owner.getByRole("button", { name: "New endpoint" }), dialog);

  await dialog.getByRole("button", { name: "Create endpoint" }).click();
  await expect(dialog.getByText("Enter the URL to send events to.")).toBeVisible();
  await dialog.getByLabel("Endpoint URL").fill("not an address");
  await dialog.getByRole("button", { name: "Create endpoint" }).click();
  await expect(dialog.getByLabel("Endpoint URL")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Endpoint URL").fill(receiver.url);
  await dialog.getByLabel("Selected events").check();
  await dialog.getByRole("button", { name: "Create endpoint" }).click();
  await expect(dialog.getByText("Choose at least one event.")).toBeVisible();
  const group = dialog.getByLabel("subscription_plan.*", { exact: true });
  await group.check();
  await expect(dialog.getByLabel("subscription_plan.deactivated")).toBeChecked();
  await group.uncheck();
  await expect(dialog.getByLabel("subscription_plan.deactivated")).not.toBeChecked();
  await dialog.getByLabel("subscription_plan.created").check();
  await expect(group).toBeChecked({ indeterminate: true });
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Create endpoint" }).click();

  const secretDialog = owner.getByRole("dialog", { name: "Store this secret now" });
  const secret = await secretDialog.getByTestId("secret").innerText();
  expect(secret).toMatch(/^whsec_/);
  await secretDialog.getByLabel("I have stored this secret in a safe place").check();
  await secretDialog.getByRole("button", { name: "Done" }).click();
  await expect(owner.getByRole("heading", { level: 1, name: receiver.url })).toBeVisible();
  expect(await owner.content()).not.toContain(secret);

  await owner.getByRole("button", { name: "Send test event" }).click();
  const row = owner.getByRole("row").filter({ hasText: "webhook_endpoint.test" });
  // The page refreshes by itself.
  await expect(row).toContainText("Delivered");
  const plan = (await api.call(createPlan, { body: aPlan(), key: "plan" })).ok();
  await expect.poll(() => receiver.received.length).toBe(2);
  const sent = receiver.received[1];
  expect(new Webhook(secret).verify(sent?.body ?? "", sent?.headers ?? {})).toMatchObject({
    type: "subscription_plan.created",
    data: { object: { id: plan.id } },
  });

  await row.getByRole("link").click();
  await expect(owner.getByRole("heading", { level: 1, name: "webhook_endpoint.test" })).toBeVisible();
  await expect(owner.getByText("HTTP status 200")).toBeVisible();
  await owner.getByText("Request body").click();
  await expect(owner.getByRole("figure", { name: "Request body" })).toContainText('"type": "webhook_endpoint.test"');
  await owner.getByText("Response body").click();
  await expect(owner.getByRole("figure", { name: "Response body" })).toContainText("thanks");
  // Colors are in transition while a toast appears or disappears.
  await expect(owner.getByText("Test event on the way")).toBeHidden();
  await expectAccessible(owner);
  await owner.getByRole("button", { name: "Resend" }).click();
  await expect.poll(() => receiver.received.length).toBe(3);
  expect(receiver.received[2]?.headers["webhook-id"]).toBe(receiver.received[0]?.headers["webhook-id"]);
});

test("an endpoint is disabled, enabled, sent the missed events, given a new secret, edited and deleted", async ({
  owner,
  api,
  receiver,
}) => {
  const endpoint = await newEndpoint(api, { url: receiver.url, event_types: ["subscription_plan.created"] });
  const dialogOf = (name: string) => owner.getByRole("dialog", { name });
  const choose = async (item: string, dialog: string) => {
    await opens(owner.getByRole("button", { name: "More actions" }), owner.getByRole("menuitem", { name: item }));
    await owner.getByRole("menuitem", { name: item }).click();
    await expect(dialogOf(dialog)).toBeVisible();
  };
  await owner.goto(`${PAGE}/${endpoint.id}`);
  await choose("Disable …", "Disable this endpoint?");
  await dialogOf("Disable this endpoint?").getByRole("button", { name: "Disable endpoint" }).click();
  await expect(owner.getByText("You disabled this endpoint")).toBeVisible();
  const plan = (await api.call(createPlan, { body: aPlan(), key: "missed" })).ok();
  await owner.getByRole("button", { name: "Enable" }).click();
  await dialogOf("Enable this endpoint?").getByRole("button", { name: "Enable endpoint" }).click();
  await expect(owner.getByRole("button", { name: "Send test event" })).toBeVisible();
  expect(receiver.received).toEqual([]);

  await choose("Send missed events …", "Send missed events");
  await expectAccessible(owner);
  await dialogOf("Send missed events").getByRole("button", { name: "Send events" }).click();
  await expect(owner.getByText("1 event on the way")).toBeVisible();
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ data: { object: { id: plan.id } } });

  // Enables the endpoint and sends missed events in one step.
  await choose("Disable …", "Disable this endpoint?");
  await dialogOf("Disable this endpoint?").getByRole("button", { name: "Disable endpoint" }).click();
  await expect(owner.getByText("You disabled this endpoint")).toBeVisible();
  (await api.call(createPlan, { body: aPlan(), key: "missed, too" })).ok();
  await owner.getByRole("button", { name: "Enable" }).click();
  await dialogOf("Enable this endpoint?").getByLabel("Also send what it missed since").selectOption("The last hour");
  await expectAccessible(owner);
  await dialogOf("Enable this endpoint?").getByRole("button", { name: "Enable endpoint" }).click();
  await expect(owner.getByText("Endpoint enabled, 1 event on the way")).toBeVisible();
  await expect.poll(() => receiver.received.length).toBe(2);

  await choose("Rotate secret …", "Rotate the signing secret");
  await dialogOf("Rotate the signing secret").getByRole("button", { name: "Rotate secret" }).click();
  const secret = await owner.getByTestId("secret").innerText();
  expect(secret).not.toBe(endpoint.secret);
  await owner.getByLabel("I have stored this secret in a safe place").check();
  await owner.getByRole("button", { name: "Done" }).click();
  (await api.call(testWebhookEndpoint, { id: endpoint.id })).ok();
  await expect.poll(() => receiver.received.length).toBe(3);
  const [, , sent] = receiver.received;
  for (const each of [secret, endpoint.secret ?? ""])
    expect(new Webhook(each).verify(sent?.body ?? "", sent?.headers ?? {})).toBeTruthy();

  await owner.getByRole("button", { name: "Edit" }).click();
  await dialogOf("Edit endpoint").getByLabel("Description").fill("Orders");
  await dialogOf("Edit endpoint").getByLabel("All events").check();
  await dialogOf("Edit endpoint").getByRole("button", { name: "Save changes" }).click();
  await expect(owner.getByText("Endpoint saved")).toBeVisible();
  expect((await api.call(getWebhookEndpoint, { id: endpoint.id })).ok()).toMatchObject({
    description: "Orders",
    event_types: ["*"],
  });

  await choose("Delete …", "Delete this endpoint?");
  await dialogOf("Delete this endpoint?").getByRole("button", { name: "Delete endpoint" }).click();
  await expect(owner.getByRole("heading", { name: "No webhook endpoints yet" })).toBeVisible();
  (await api.call(getWebhookEndpoint, { id: endpoint.id })).problem("resource_not_found");
});

test("an unreachable endpoint shows since when, and when it will be disabled", { tag: "@looks" }, async ({
  owner,
  api,
  db,
  receiver,
}) => {
  const { id } = await newEndpoint(api, { url: receiver.url });
  const since = new Date(Date.now() - 4 * 86_400_000).toISOString();
  await db.sql`update webhook_endpoints set failing_since = ${since}, last_notice = 'failing' where url = ${receiver.url}`;
  await owner.goto("/test");
  await expect(owner.getByText("A webhook endpoint has failed for three days")).toBeVisible();
  await expectWellInEveryLook(owner);
  await owner.goto(PAGE);
  await expect(owner.getByText("One endpoint is failing")).toBeVisible();
  await expect(owner.getByText("A webhook endpoint has failed for three days")).toBeHidden();
  await expectWellInEveryLook(owner);
  await owner.getByRole("listitem").filter({ hasText: "has failed since" }).getByRole("link").click();
  await owner.waitForURL(`**${PAGE}/${id}`);
  await expect(owner.getByText("This endpoint is failing")).toBeVisible();
  await expectWellInEveryLook(owner);

  await db.sql`
    update webhook_endpoints set status = 'DISABLED', disabled_reason = 'failing', last_notice = 'disabled'
    where url = ${receiver.url}`;
  await owner.goto("/test");
  await expect(owner.getByText("We disabled a webhook endpoint")).toBeVisible();
  await owner.getByRole("link", { name: "View its deliveries" }).click();
  await owner.getByRole("button", { name: "Keep it disabled" }).click();
  await expect(owner.getByText("You disabled this endpoint")).toBeVisible();
  await owner.goto("/test");
  await expect(owner.getByText("We disabled a webhook endpoint")).toHaveCount(0);
});

test("a failed delivery shows why, and filters find it", async ({ owner, api, receiver }) => {
  receiver.answer = status(500, {}, "out of order");
  const endpoint = await newEndpoint(api, { url: receiver.url });
  const delivery = (await api.call(testWebhookEndpoint, { id: endpoint.id })).ok();
  await expect.poll(() => receiver.received.length).toBe(1);
  const inList = owner.getByRole("row").filter({ hasText: receiver.url });
  await expect(async () => {
    await owner.goto(PAGE);
    await expect(inList).toContainText(/Failing\s*HTTP 500/, { timeout: 2_000 });
  }).toPass();
  await owner.goto(`${PAGE}/${endpoint.id}?status=DELIVERED`);
  await expect(owner.getByRole("heading", { name: "No deliveries match" })).toBeVisible();
  await chooseFilter(owner, "Status", "Pending");
  await expect(owner).toHaveURL(/status=PENDING/);
  const row = owner.getByRole("row").filter({ hasText: "webhook_endpoint.test" });
  await expect(row).toContainText(/Failing\s*HTTP 500/);
  await row.getByRole("link").click();
  await expect(owner).toHaveURL(`${PAGE}/deliveries/${delivery.id}`);
  await expect(owner.getByText("It answered 500.").first()).toBeVisible();
  await owner.getByRole("link", { name: delivery.event_id }).click();
  await expect(owner.getByRole("heading", { level: 1, name: "webhook_endpoint.test" })).toBeVisible();
  await expect(owner.getByRole("figure", { name: "Event" })).toContainText(endpoint.id);
  const event = (await api.call(getEvent, { id: delivery.event_id })).ok();
  await owner.getByRole("link", { name: "All events of this object" }).click();
  await expect(owner).toHaveURL(`/test/developers/events?object_id=${event.data.object.id}`);
  await expect(owner.getByRole("row")).toHaveCount(2);
  await owner.getByRole("button", { name: "Type", exact: true }).click();
  await owner.getByRole("combobox", { name: "Type" }).selectOption("payment.captured");
  await expect(owner.getByRole("heading", { name: "No events match" })).toBeVisible();
});

test("an event of a transaction leads to its payment, and one of a key to the key", async ({ owner, api }) => {
  const payment = await captured(api);
  const events = (await api.call(listEvents)).ok().data;
  const idOf = (type: string) => events.find((event) => event.type === type)?.id ?? "";
  await owner.goto(`/test/developers/events/${idOf("transaction.captured")}`);
  await owner.getByRole("link", { name: payment.id }).click();
  await expect(owner).toHaveURL(`/test/payments/${payment.id}`);
  await owner.goto(`/test/developers/events/${idOf("api_key.created")}`);
  await expect(owner.getByRole("figure", { name: "Event" })).not.toContainText("secret");
  await owner.getByRole("link", { name: /^key_/ }).click();
  await expect(owner.getByRole("heading", { level: 1, name: "Test key" })).toBeVisible();
});

test("another merchant's endpoints, deliveries and events are not found, and a viewer sees no endpoints", async ({
  owner,
  stranger,
  receiver,
  newPerson,
  signInAs,
}) => {
  const endpoint = await newEndpoint(stranger.api, { url: receiver.url });
  const delivery = (await stranger.api.call(testWebhookEndpoint, { id: endpoint.id })).ok();
  for (const path of [`webhooks/${endpoint.id}`, `webhooks/deliveries/${delivery.id}`, `events/${delivery.event_id}`]) {
    await owner.goto(`/test/developers/${path}`);
    await expect(owner.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
  }
  await owner.goto(PAGE);
  await expect(owner.getByRole("heading", { name: "No webhook endpoints yet" })).toBeVisible();
  await signInAs(owner.context(), await newPerson("viewer"));
  await owner.goto(PAGE);
  await expect(owner.getByRole("heading", { name: "You don’t have access to webhooks" })).toBeVisible();
});
