ALTER TABLE "operations" ADD COLUMN "fee_basis_points" smallint;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "payment_token_id" uuid;
--> statement-breakpoint
create function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'an operation that has ended stays so, at the rate that its fee was taken at' using errcode = 'check_violation';
end $$;
--> statement-breakpoint
create trigger operations_stay_ended before update of state, fee_basis_points on operations for each row
when (old.state <> 'open' and (new.state = 'open' or new.fee_basis_points is distinct from old.fee_basis_points)) execute function refuse_reopening();
--> statement-breakpoint
-- From when on every row says what `npm run verify` wants to know: a day after this, while processes of older versions may
-- still write; where there is nothing yet, always. A function, as only the owner can replace it.
do $$ begin
  execute format('create function books_complete_since() returns timestamptz language sql immutable parallel safe as %L',
    format('select %L::timestamptz', case
      when exists (select from operations) or exists (select from audit_log) then now() + interval '1 day' else '-infinity' end));
end $$;
