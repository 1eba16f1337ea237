-- What support staff looked up and did is append-only, like the merchants' own audit log.
create trigger support_audit_log_append_only before update or delete on support_audit_log for each row execute function refuse_change();
--> statement-breakpoint

-- Staff see every merchant: whatever code opens sessions, theirs has a second factor.
create function require_second_factor_of_staff() returns trigger language plpgsql as $$
begin
  if new.mfa_at is null and exists (select from users where id = new.user_id and role = 'staff') then
    raise exception 'a session of support staff needs a second factor' using errcode = 'check_violation';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger user_sessions_staff before insert or update of mfa_at, user_id on user_sessions for each row execute function require_second_factor_of_staff();
