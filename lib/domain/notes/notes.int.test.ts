import { expect, test } from "vitest";
import { users } from "@/db/schema/accounts";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { mailsTo } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { MAX_MENTIONS, MAX_NOTES } from "@/lib/contract/notes/notes";
import { newId } from "@/lib/ids";
import { createNote, deleteNote, listNotes, updateNote } from "./notes";

const { db } = await testDatabase();

/** A team with a customer to write about. */
async function team() {
  const { call, merchant, stranger, service } = await testTenant(db);
  const environmentId = call().environment.id;
  const [row] = await db.sql<{ id: string }[]>`
    insert into customers (environment_id, id, customer_id, words, last_payment_at)
    select ${environmentId}, customer_uuid(${environmentId}::uuid, 'c_1', null), 'c_1', '', now() returning id`;
  const person = async (name: string, ownsEmail = true, merchantId = merchant.id) => {
    const id = newId();
    const email = `${id}@example.com`;
    await db.orm.insert(users).values({
      id,
      merchant_id: merchantId,
      email,
      name,
      password_hash: "none",
      role: "support",
      owns_email: ownsEmail,
    });
    return { id, email };
  };
  const by = (user: { id: string }) => ({ ...call(), actor: { type: "user", id: user.id } as const });
  return {
    by,
    person,
    elsewhere: testContext(service, stranger.test),
    stranger,
    subject_id: encodeId("customer", row?.id ?? ""),
    environmentId,
  };
}

test("a note is seen by the team, and only its author changes or deletes it", async () => {
  const { by, person, subject_id, environmentId } = await team();
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const made = await createNote(by(ada), { subject_id, text: "Called; wants a refund", userId: ada.id });
  expect(made).toMatchObject({ author: "Ada", mine: true, edited_at: null });
  const seen = await listNotes(by(ben), { subject_id, userId: ben.id });
  expect(seen).toEqual({ data: [{ ...made, mine: false }], colleagues: ["Ada"] });
  const missing = { code: "resource_not_found" };
  await expect(updateNote(by(ben), { id: made.id, text: "No", userId: ben.id })).rejects.toMatchObject(missing);
  await expect(deleteNote(by(ben), { id: made.id, userId: ben.id })).rejects.toMatchObject(missing);
  const edited = await updateNote(by(ada), { id: made.id, text: "Called again", userId: ada.id });
  expect(edited).toMatchObject({ text: "Called again", edited_at: expect.any(String) });
  await deleteNote(by(ada), { id: made.id, userId: ada.id });
  expect((await listNotes(by(ada), { subject_id, userId: ada.id })).data).toEqual([]);
  const acts =
    await db.sql`select action, detail from audit_log where environment_id = ${environmentId} and action like 'note.%' order by id`;
  expect([...acts]).toEqual(
    ["note.created", "note.updated", "note.deleted"].map((action) => ({ action, detail: { subject: "customer" } })),
  );
});

test("a mention mails a colleague once, without the note's text, and only at a verified address", async () => {
  const { by, person, stranger, subject_id } = await team();
  const [ada, ben, eve] = [await person("Ada"), await person("Ben Ruiz"), await person("Eve", false)];
  const foreign = await person("Zoe", true, stranger.id);
  const note = await createNote(by(ada), { subject_id, text: "@Ben Ruiz @Eve @Ada @Zoe secret", userId: ada.id });
  await updateNote(by(ada), { id: note.id, text: "@ben ruiz again", userId: ada.id });
  const mails = await mailsTo(db, ben.email);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.body).toContain(`${ada.email} mentioned you in a note on a customer`);
  expect(mails[0]?.body).toContain(`/test/customers/${subject_id}`);
  expect(mails[0]?.body).not.toContain("secret");
  for (const other of [ada, eve, foreign]) expect(await mailsTo(db, other.email)).toEqual([]);
});

test("notes of another environment do not exist there, and an object has a limited number", async () => {
  const { by, person, elsewhere, subject_id, environmentId } = await team();
  const ada = await person("Ada");
  const note = await createNote(by(ada), { subject_id, text: "Ours", userId: ada.id });
  const missing = { code: "resource_not_found" };
  await expect(listNotes(elsewhere, { subject_id, userId: ada.id })).rejects.toMatchObject(missing);
  await expect(createNote(elsewhere, { subject_id, text: "x", userId: ada.id })).rejects.toMatchObject(missing);
  await expect(deleteNote(elsewhere, { id: note.id, userId: ada.id })).rejects.toMatchObject(missing);
  const many = await Promise.all(Array.from({ length: MAX_MENTIONS + 1 }, (_, i) => person(`Member ${i}.`)));
  const all = many.map((_, i) => `@Member ${i}.`).join(" ");
  await expect(createNote(by(ada), { subject_id, text: all, userId: ada.id })).rejects.toMatchObject({
    code: "invalid_parameter",
  });
  await db.sql`insert into notes (environment_id, id, subject, subject_id, user_id, author, text, mentioned, created_at)
    select environment_id, gen_random_uuid(), subject, subject_id, user_id, author, text, mentioned, created_at
    from notes, generate_series(3, ${MAX_NOTES}) where environment_id = ${environmentId}`;
  const results = await Promise.allSettled(
    Array.from({ length: 3 }, () => createNote(by(ada), { subject_id, text: "At once", userId: ada.id })),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});
