ALTER TABLE "audit_links" ADD COLUMN "mac" text;--> statement-breakpoint
ALTER TABLE "audit_links" ADD COLUMN "seal_number" bigint;--> statement-breakpoint
ALTER TABLE "audit_seals" ADD COLUMN "number" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_seals" ADD COLUMN "previous_mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_seals" DROP CONSTRAINT "audit_seals_chain_id_seq_key_id_pk";--> statement-breakpoint
ALTER TABLE "audit_seals" ADD CONSTRAINT "audit_seals_chain_id_seq_key_id_number_pk" PRIMARY KEY("chain_id","seq","key_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_seals_number" ON "audit_seals" USING btree ("number") WHERE number > 0;
