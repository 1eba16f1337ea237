CREATE TABLE "customers" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"customer_id" text,
	"email" text,
	"name" text,
	"words" text NOT NULL,
	"first_payment_at" timestamp (3) with time zone NOT NULL,
	"last_payment_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "customers_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE TABLE "customers_due" (
	"environment_id" uuid NOT NULL,
	"transaction_id" uuid NOT NULL,
	CONSTRAINT "customers_due_environment_id_transaction_id_pk" PRIMARY KEY("environment_id","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "customer_words" (
	"environment_id" uuid NOT NULL,
	"word" text collate "C" NOT NULL,
	"customer" uuid NOT NULL,
	CONSTRAINT "customer_words_environment_id_word_customer_pk" PRIMARY KEY("environment_id","word","customer")
);
--> statement-breakpoint
CREATE INDEX "customers_latest" ON "customers" USING btree ("environment_id","last_payment_at","id");
--> statement-breakpoint

-- The id of a customer: of the environment and the merchant's own id, else the e-mail, and of nothing that changes. A UUID of
-- version 8, which is for ids that are made in a way of one's own.
create function customer_uuid(environment uuid, customer_id text, email_key text) returns uuid language sql immutable parallel safe as $$
  select (substr(digest, 1, 12) || '8' || substr(digest, 14, 3) || '8' || substr(digest, 18, 15))::uuid
  from encode(sha256(convert_to(environment::text || coalesce(':id:' || customer_id, ':email:' || email_key), 'UTF8')), 'hex') digest
$$;
--> statement-breakpoint

-- What a customer is found by, in the spelling of transactions.
create function index_customer() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.words := ' ' || array_to_string(search_words(concat_ws(' ', new.name, new.email, new.customer_id)), ' ') || ' ';
  return new;
end $$;
--> statement-breakpoint
create trigger customers_indexed before insert or update on customers for each row execute function index_customer();
--> statement-breakpoint
create function keep_customer_words() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    delete from customer_words
    where environment_id = old.environment_id and word = any(string_to_array(trim(old.words), ' ')) and customer = old.id;
  end if;
  insert into customer_words (environment_id, word, customer)
  select new.environment_id, word, new.id from unnest(string_to_array(trim(new.words), ' ')) word
  where word <> '' on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create trigger customers_inserted after insert on customers for each row execute function keep_customer_words();
--> statement-breakpoint
create trigger customers_updated after update on customers for each row when (old.words is distinct from new.words) execute function keep_customer_words();
--> statement-breakpoint

-- In the commit of a transaction, its words: no writer can forget them, and none needs a right to write them. And charges for the
-- job that makes customers of them.
create function index_transactions() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with found as materialized (select environment_id, id, search_words_of(made) as words from made),
  texts as (
    insert into transaction_texts (environment_id, transaction_id, words)
    select environment_id, id, ' ' || array_to_string(words, ' ') || ' ' from found)
  insert into transaction_words (environment_id, day, word, transaction_id)
  select environment_id, day_of(id), word, id from found, unnest(words) word;
  insert into customers_due (environment_id, transaction_id)
  select environment_id, id from made where type = 'CHARGE' and coalesce(customer_id, customer_email) is not null;
  return null;
end $$;
