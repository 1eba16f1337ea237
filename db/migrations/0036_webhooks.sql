create domain webhook_payload as text check (value in ('full', 'thin'));
--> statement-breakpoint
create domain webhook_signature as text check (value in ('v1', 'v1+v1a'));
--> statement-breakpoint
create domain webhook_endpoint_status as text check (value in ('ENABLED', 'DISABLED'));
--> statement-breakpoint
create domain webhook_disabled_reason as text check (value in ('manual', 'gone', 'failing'));
--> statement-breakpoint
create domain webhook_notice as text check (value in ('failing', 'disabled'));
--> statement-breakpoint
create domain webhook_delivery_status as text check (value in ('PENDING', 'DELIVERED', 'FAILED'));
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"environment_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"url" text NOT NULL,
	"payload" "webhook_payload" NOT NULL,
	"request_headers" json NOT NULL,
	"status_code" integer,
	"response_body" text,
	"error" text,
	"duration_ms" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_attempts_environment_id_delivery_id_id_pk" PRIMARY KEY("environment_id","delivery_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"event_type" text NOT NULL,
	"status" "webhook_delivery_status" NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"round_attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_deliveries_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"event_types" text[] NOT NULL,
	"payload" "webhook_payload" NOT NULL,
	"signature" "webhook_signature" NOT NULL,
	"status" "webhook_endpoint_status" NOT NULL,
	"disabled_reason" "webhook_disabled_reason",
	"failing_since" timestamp (3) with time zone,
	"hindered_at" timestamp (3) with time zone,
	"last_notice" "webhook_notice",
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_endpoints_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"environment_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"sealed" text NOT NULL,
	"public_key" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_secrets_environment_id_endpoint_id_id_pk" PRIMARY KEY("environment_id","endpoint_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("environment_id","endpoint_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("environment_id","endpoint_id","next_attempt_at") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_log" ON "webhook_deliveries" USING btree ("environment_id","endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_enabled" ON "webhook_endpoints" USING btree ("environment_id","id") WHERE status = 'ENABLED' and deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_url" ON "webhook_endpoints" USING btree ("environment_id",md5("url")) WHERE deleted_at is null;--> statement-breakpoint

-- A new UUIDv7 with the time of an event's: deliveries are in the order of their events. PostgreSQL makes its own from version 18 on.
create function webhook_delivery_id(event uuid) returns uuid language sql volatile parallel safe as $$
  select (left(event::text, 15) || substr(gen_random_uuid()::text, 16))::uuid
$$;
--> statement-breakpoint
-- In the commit of an event, its deliveries: no writer of events can forget them, and none needs a right to make them. Most
-- environments have no endpoint, and pay for one look into an index.
create function deliver_events() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (
    select from made n join webhook_endpoints e on e.environment_id = n.environment_id and e.status = 'ENABLED' and e.deleted_at is null
  ) then
    insert into webhook_deliveries
      (environment_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
    select n.environment_id, webhook_delivery_id(n.id), e.id, n.id, n.type, 'PENDING', n.created_at, n.created_at, n.created_at
    from made n
    join webhook_endpoints e on e.environment_id = n.environment_id and e.status = 'ENABLED' and e.deleted_at is null
      and (e.event_types = '{*}' or n.type = any(e.event_types))
    -- A test is for one endpoint, and who asks for it makes its delivery.
    where n.type <> 'webhook_endpoint.test'
    on conflict (environment_id, endpoint_id, event_id) do nothing;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger events_delivered after insert on events referencing new table as made for each statement execute function deliver_events();
