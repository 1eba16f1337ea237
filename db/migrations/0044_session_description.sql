ALTER TABLE "client_sessions" ADD COLUMN "description" text;--> statement-breakpoint
-- What is open keeps the words that its form shows now.
update client_sessions s set description = l.description
from payment_links l
where l.environment_id = s.environment_id and l.id = s.payment_link_id and s.status = 'OPEN' and l.description is not null;
