-- The normalized form in which terms are stored and searched: lower case, no accents, no invisible signs, one
-- hyphen, one apostrophe, hiragana for both kana. Independent of the collation, so that an index is valid on
-- every server: non-ASCII capitals are listed (Latin, Greek, Cyrillic, Armenian). NFKD may expand a character
-- to 18; 4 are kept. NFC makes syllables of Hangul and kana whole again. Cost grows with length: truncate first.
create or replace function searchable(value text) returns text language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) then lower(value collate "C")
    else normalize(replace(replace(replace(translate(lower(regexp_replace(left(normalize(translate(value,
      U&'\2018\2019\201A\201B\02B9\02BB\02BC\02BD\02BE\02BF\02C8\00B4\2032\2035\FF07\055A\05F3\A78C\058A\05BE\2010\2011\2012\2013\2014\2015\2212\2E3A\2E3B\30A0\30FB\FE58\FE63\FF0D\FF65',
      repeat('''', 18) || repeat('-', 17)), NFKD), 4 * length(value)) collate "C",
      '[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+', '', 'g')),
      'øłđħıŧØŁĐĦŦÆŒÞÐŊƏẞςΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐҒҖҚҢҮҰҲҶҺӘӨԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖァアィイゥウェエォオカキクケコサシスセソタチッツテトナニヌネノハヒフヘホマミムメモャヤュユョヨラリルレロヮワヰヱヲンヵヶ',
      'oldhitoldhtæœþðŋəßσαβγδεζηθικλμνξοπρστυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґғҗқңүұҳҷһәөաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆぁあぃいぅうぇえぉおかきくけこさしすせそたちっつてとなにぬねのはひふへほまみむめもゃやゅゆょよらりるれろゎわゐゑをんゕゖ'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), NFC) end
$$;

-- The spellings of a text: `muller` and `mueller` of Müller.
create function spellings(value text) returns text[] language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) or whole collate "C" !~ '[äöüåøÄÖÜÅØ]' then array[searchable(value)]
    else array[searchable(value), searchable(
      replace(replace(replace(replace(translate(whole, 'ÄÖÜÅØø', 'äöüåöö'), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'å', 'aa'))] end
  from normalize(value, NFC) whole
$$;

-- Signs of scripts without spaces, each of which starts a term: Han, kana, Hangul, Thai. Expressions repeat it
-- as text, because a function would cost more than the match.
--   \u3005-\u3007\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff
--   \u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46

-- Each word start with the text up to the next space (`smith@ex` finds anna.smith@example.com), without hyphens
-- and apostrophes (`obrien`, and `brien`): max 200 of 48 characters, of scripts without spaces 12. Runs in a
-- payment's commit, so input is bounded: 4,000 characters, 200 per chunk (100 of scripts without spaces), 800
-- non-ASCII (slow), 400 word starts. Short ASCII takes a fast path, below these bounds.
create or replace function search_words(texts text) returns text[] language plpgsql immutable parallel safe as $$
declare
  mark constant text := U&'\0001';
  words text[] := '{}';
  dear integer := 800;
  turns integer := 400;
  pieces text[];
  rest text := '';
  chunk text;
  spelling text;
  word text;
  start integer;
begin
  if length(texts) <= 200 and octet_length(texts) = length(texts) then
    pieces := string_to_array(translate(regexp_replace(
      lower(translate(texts, U&'\0001\0009\000A\000B\000C\000D', '      ') collate "C"), '([^\s!-/:-@\[-`{-~]+)', mark || '\1', 'g'),
      '''-`', ''), mark);
    for i in reverse cardinality(pieces)..2 loop
      rest := split_part(pieces[i] || rest, ' ', 1);
      words := left(rest, 48) || array_remove(words, left(rest, 48));
    end loop;
    return words;
  end if;
  texts := left(texts, 4000);
  -- Names of these scripts are written with a space or without.
  if octet_length(texts) > length(texts) then
    texts := regexp_replace(texts collate "C",
      '([\u0e01-\u0e4e\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff66-\uff9f])[ \u3000]+(?=[\u0e01-\u0e4e\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff66-\uff9f])', '\1', 'g');
  end if;
  foreach chunk in array string_to_array(translate(texts, U&'\0001\0009\000A\000B\000C\000D', '      '), ' ') loop
    continue when chunk = '';
    exit when turns <= 0 or cardinality(words) = 200;
    chunk := left(chunk, 200);
    if octet_length(chunk) > length(chunk) then
      chunk := left(chunk, least(dear, case when chunk collate "C" ~ '[\u0e01-\u0e4e\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff66-\uff9f]' then 100 else 200 end));
      dear := dear - length(chunk);
    end if;
    foreach spelling in array spellings(chunk) loop
      turns := turns - 1;
      chunk := translate(regexp_replace(left(spelling, 200) collate "C",
        '([\u3005-\u3007\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46]|[^\s!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u0e01-\u0e4e\u2010-\u205e\u20a0-\u20cf\u3000-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]+)',
        mark || '\1', 'g'), '''-`', '');
      start := strpos(chunk, mark);
      while start > 0 and turns > 0 and cardinality(words) < 200 loop
        turns := turns - 1;
        chunk := substr(chunk, start + 1);
        word := split_part(replace(chunk, mark, ''), ' ', 1);
        word := left(word, case when ascii(word) between 3585 and 3662 or ascii(word) >= 12293 then 12 else 48 end);
        if not word = any(words) then
          words := words || word;
        end if;
        start := strpos(chunk, mark);
      end loop;
    end loop;
  end loop;
  return words;
end $$;

-- A transaction's search terms. Amounts and last four digits match only as a whole: their prefix (= or #)
-- starts no word. No other card data is included. Lines keep one text's end apart from the next one's start.
create or replace function search_words_of(t transactions) returns text[] language plpgsql stable parallel safe as $$
declare
  texts text := concat_ws(E'\n', t.customer_name, t.customer_email, t.customer_id, t.description);
begin
  if t.metadata <> '{}' then
    texts := concat_ws(E'\n', texts, (select string_agg(value, E'\n') from jsonb_each_text(t.metadata)));
  end if;
  return search_words(texts) || ('=' || amount_word(t.amount, t.currency))
    || case when t.card_last4 is null then '{}' else array['#' || t.card_last4] end;
end $$;

create or replace function index_customer() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.words := ' ' || array_to_string(search_words(concat_ws(E'\n', new.name, new.email, new.customer_id)), ' ') || ' ';
  return new;
end $$;

-- A query's terms, max 8, normalized like the index, each in its spellings, with its whole-value matches: the
-- amounts that it can be (`1,500` is 1500 and 1.5) and last four digits. Punctuation around a term does not count.
drop function asked_words(text);
create function asked_words(q text) returns table (starts text[], wholes text[]) language sql immutable parallel safe as $$
  select starts,
    array(
      select '=' || trim_scale(amount::numeric)::text
      from (
        select replace(word, ',', '') as amount where word ~ '^([0-9]{1,12}|[0-9]{1,3}(,[0-9]{3}){1,3})(\.[0-9]{1,4})?$'
        union select replace(replace(word, '.', ''), ',', '.') where word ~ '^([0-9]{1,12}|[0-9]{1,3}(\.[0-9]{3}){1,3}),[0-9]{1,4}$'
        union select replace(word, '.', '') where word ~ '^[0-9]{1,3}(\.[0-9]{3}){1,3}$') amounts
      union select '#' || word where word ~ '^[0-9]{4}$')
  from (
    select starts, starts[1] collate "C" as word, min(n) as n
    from (
      select n, array_agg(distinct word) filter (where word <> '') as starts
      from unnest(spellings(left(q, 200))) spelling
      cross join lateral regexp_split_to_table(translate(spelling, '''-`', '') collate "C", '[\s\u0001;]+|,(?![0-9])|(?<![0-9]),')
        with ordinality chunks (chunk, n)
      cross join lateral (select regexp_replace(chunk,
        '^[!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u2010-\u205e\u20a0-\u20cf\u3000-\u3004\u3008-\u303f]+|[!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u2010-\u205e\u20a0-\u20cf\u3000-\u3004\u3008-\u303f]+$',
        '', 'g') as whole) wholes
      cross join lateral (select left(whole, case when ascii(whole) between 3585 and 3662 or ascii(whole) >= 12293 then 12 else 48 end) as word) words
      group by n) spelled
    where starts is not null
    group by starts) asked
  order by n limit 8
$$;

-- Respells what is stored, of transactions from an id on: in each environment, by primary keys.
create function respell_transactions(since uuid) returns void language sql as $$
  with stored as materialized (
    select t.environment_id, t.id, x.words as text, search_words_of(t) as words
    from environments e
    join transactions t on t.environment_id = e.id and t.id >= since
    join transaction_texts x on x.environment_id = t.environment_id and x.transaction_id = t.id),
  changed as materialized (
    select * from stored where text is distinct from ' ' || array_to_string(words, ' ') || ' '),
  removed as (
    delete from transaction_words w
    using (
      select environment_id, id, word from changed, unnest(string_to_array(trim(text), ' ')) word where not word = any(words)) gone
    where w.environment_id = gone.environment_id and w.day = day_of(gone.id) and w.word = gone.word and w.transaction_id = gone.id),
  rewritten as (
    update transaction_texts x set words = ' ' || array_to_string(changed.words, ' ') || ' '
    from changed where x.environment_id = changed.environment_id and x.transaction_id = changed.id)
  insert into transaction_words (environment_id, day, word, transaction_id)
  select environment_id, day_of(id), word, id from changed, unnest(words) word
  where strpos(text, ' ' || word || ' ') = 0
  on conflict do nothing;
$$;

-- First what is there, however long that takes, and then, while nothing is written, what came in the meantime:
-- its triggers ran as they were before this migration. A day's margin covers clocks that differ.
do $$
declare
  since constant text := lpad(to_hex(((extract(epoch from clock_timestamp()) - 86400) * 1000)::bigint), 12, '0');
begin
  perform respell_transactions('00000000-0000-0000-0000-000000000000');
  lock table transactions, customers in share row exclusive mode;
  perform respell_transactions((since || repeat('0', 20))::uuid);
  update customers set words = ' ' || array_to_string(search_words(concat_ws(E'\n', name, email, customer_id)), ' ') || ' ';
end $$;

drop function respell_transactions(uuid);
