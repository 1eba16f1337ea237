-- Abandoned test data goes with its settings and mails of subscriptions.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ', '''payments'', ''subscription_mails'', ''subscription_settings'', ');
end $$;
