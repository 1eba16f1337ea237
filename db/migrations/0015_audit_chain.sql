CREATE TABLE "audit_links" (
	"chain_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"log" text NOT NULL,
	"environment_id" uuid,
	"row_id" uuid NOT NULL,
	"hash" "bytea" NOT NULL,
	"chained_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_links_chain_id_seq_pk" PRIMARY KEY("chain_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_pending" (
	"log" text NOT NULL,
	"environment_id" uuid,
	"row_id" uuid NOT NULL,
	"queued_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_seals" (
	"chain_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"key_id" text NOT NULL,
	"day" date NOT NULL,
	"hash" "bytea" NOT NULL,
	"mac" text NOT NULL,
	"sealed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_seals_chain_id_seq_key_id_pk" PRIMARY KEY("chain_id","seq","key_id")
);
--> statement-breakpoint
-- Whoever may write a row may queue it, and do nothing else with the queue: hence the rights of the owner.
create function queue_audit_row() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_pending (log, environment_id, row_id) values (tg_argv[0], new.environment_id, new.id);
  return null;
end $$;
--> statement-breakpoint
create trigger audit_log_queue after insert on audit_log for each row execute function queue_audit_row('merchant');
--> statement-breakpoint
create trigger support_audit_log_queue after insert on support_audit_log for each row execute function queue_audit_row('support');
--> statement-breakpoint
create trigger audit_links_append_only before update or delete on audit_links for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_seals_append_only before update or delete on audit_seals for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_log_never_emptied before truncate on audit_log for each statement execute function refuse_change();
--> statement-breakpoint
create trigger support_audit_log_never_emptied before truncate on support_audit_log for each statement execute function refuse_change();
--> statement-breakpoint
create trigger audit_links_never_emptied before truncate on audit_links for each statement execute function refuse_change();
--> statement-breakpoint
create trigger audit_seals_never_emptied before truncate on audit_seals for each statement execute function refuse_change();
--> statement-breakpoint
revoke update, delete, truncate on audit_log, support_audit_log, audit_links, audit_seals from public, current_user;
--> statement-breakpoint
-- What was written before there were chains is chained from here on.
insert into audit_pending (log, environment_id, row_id) select 'merchant', environment_id, id from audit_log order by id;
--> statement-breakpoint
insert into audit_pending (log, environment_id, row_id) select 'support', environment_id, id from support_audit_log order by id;
