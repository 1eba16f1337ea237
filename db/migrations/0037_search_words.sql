CREATE TABLE "transaction_texts" (
	"environment_id" uuid NOT NULL,
	"transaction_id" uuid NOT NULL,
	"words" text collate "C" NOT NULL,
	CONSTRAINT "transaction_texts_environment_id_transaction_id_pk" PRIMARY KEY("environment_id","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "transaction_words" (
	"environment_id" uuid NOT NULL,
	"day" integer NOT NULL,
	"word" text collate "C" NOT NULL,
	"transaction_id" uuid NOT NULL,
	CONSTRAINT "transaction_words_environment_id_day_word_transaction_id_pk" PRIMARY KEY("environment_id","day","word","transaction_id")
);
--> statement-breakpoint

-- Words are written and asked for in one spelling: small letters, without accents. The one place that makes it. No collation
-- of the database has a say, so that an index holds on every server: beyond ASCII, capitals are those of the list, of Latin,
-- Greek, Cyrillic and Armenian. One character may become eighteen: four are kept. It
-- costs as much as the text is long, so whoever calls it cuts the text first.
create function searchable(value text) returns text language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) then lower(value collate "C")
    else replace(replace(replace(translate(lower(regexp_replace(left(normalize(value, NFKD), 4 * length(value)) collate "C",
      '[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+', '', 'g')),
      'øłđħıŧØŁĐĦŦÆŒÞÐŊƏẞςΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐҒҖҚҢҮҰҲҶҺӘӨԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
      'oldhitoldhtæœþðŋəßσαβγδεζηθικλμνξοπρστυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґғҗқңүұҳҷһәөաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') end
$$;
--> statement-breakpoint

-- An amount as it is printed, without zeros at its end: 1234.5, 20. The currencies' digits are those of lib/contract/currencies.
create function amount_word(amount bigint, currency text) returns text language sql immutable parallel safe as $$
  select trim_scale(amount / case
    when currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') then 1
    when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 1000
    when currency in ('CLF', 'UYW') then 10000
    else 100 end::numeric)::text
$$;
--> statement-breakpoint

-- Every place in the texts where a word begins, with what follows up to the next space, so that `smith@ex` is found in
-- anna.smith@example.com. No longer than 48 characters, and no more than 100 of them. A payment waits for this, whatever a
-- merchant sends: it looks at the first 4,000 characters, 200 between two spaces, 800 where they are not ASCII, which are
-- dear, and at 200 beginnings of words.
create function search_words(texts text) returns text[] language plpgsql immutable parallel safe as $$
declare
  mark constant text := U&'\0001';
  words text[] := '{}';
  dear integer := 800;
  turns integer := 200;
  chunk text;
  word text;
  start integer;
begin
  foreach chunk in array string_to_array(translate(left(texts, 4000), U&'\0001\0009\000A\000B\000C\000D', '      '), ' ') loop
    continue when chunk = '';
    exit when turns = 0 or cardinality(words) = 100;
    turns := turns - 1;
    chunk := left(chunk, 200);
    if octet_length(chunk) > length(chunk) then
      chunk := left(chunk, dear);
      dear := dear - length(chunk);
    end if;
    chunk := regexp_replace(left(searchable(chunk), 200) collate "C",
      '([^\s!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u2010-\u205e\u20a0-\u20cf\u3000-\u303f]+)', mark || '\1', 'g');
    start := strpos(chunk, mark);
    while start > 0 and turns > 0 and cardinality(words) < 100 loop
      turns := turns - 1;
      chunk := substr(chunk, start + 1);
      word := left(split_part(replace(chunk, mark, ''), ' ', 1), 48);
      if not word = any(words) then
        words := words || word;
      end if;
      start := strpos(chunk, mark);
    end loop;
  end loop;
  return words;
end $$;
--> statement-breakpoint

-- What a transaction is found by. A card's last four digits and the amount must be asked for as a whole: they begin with signs
-- that no word begins with. No more of a card is here.
create function search_words_of(t transactions) returns text[] language plpgsql stable parallel safe as $$
declare
  texts text := concat_ws(' ', t.customer_name, t.customer_email, t.customer_id, t.description);
begin
  if t.metadata <> '{}' then
    texts := concat_ws(' ', texts, (select string_agg(value, ' ') from jsonb_each_text(t.metadata)));
  end if;
  return search_words(texts) || ('=' || amount_word(t.amount, t.currency))
    || case when t.card_last4 is null then '{}' else array['#' || t.card_last4] end;
end $$;
--> statement-breakpoint

-- What somebody asks for: eight words at most, in the spelling of the index, and what each may be as a whole. Signs and accents
-- alone ask for nothing.
create function asked_words(q text) returns table (word text, wholes text[]) language sql immutable parallel safe as $$
  select word,
    array(
      select '=' || trim_scale(replace(word, ',', '')::numeric)::text
      where word collate "C" ~ '^([0-9]{1,12}|[0-9]{1,3}(,[0-9]{3}){1,3})(\.[0-9]{1,4})?$'
      union all select '#' || word where word collate "C" ~ '^[0-9]{4}$')
  from (
    select left(regexp_replace(chunk collate "C", '^[!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u2010-\u205e\u20a0-\u20cf\u3000-\u303f]+', ''), 48) as word, min(n) as n
    from regexp_split_to_table(searchable(left(q, 200)) collate "C", '[\s\u0001]+') with ordinality chunks (chunk, n)
    group by 1) asked
  where word <> '' order by n limit 8
$$;
--> statement-breakpoint

-- The day of a UUIDv7 in UTC, since 1970.
create function day_of(id uuid) returns integer language sql immutable parallel safe as $$
  select (('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint / 86400000)::integer
$$;
