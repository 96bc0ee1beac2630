-- Functions are made after tables are distributed: then Citus makes them on the workers too.
create function app.label(author app.author) returns text language sql immutable as
  $$ select $1.name || ' <' || coalesce($1.email, '') || '>' $$;
create function app.books_of(tenant int) returns setof app.book language sql stable as
  $$ select * from app.book b where b.tenant_id = tenant $$;
create function app.books_by_title(part text) returns setof app.book language plpgsql stable as
  $$ begin return query select * from app.book b where b.title like '%' || part || '%'; end $$;
create function app.book_count(tenant int) returns bigint language plpgsql stable as
  $$ begin return (select count(*) from app.book b where b.tenant_id = tenant); end $$;
create function app.first_book(tenant int) returns app.book language plpgsql stable as
  $$ declare found app.book; begin
    select * into found from app.book b where b.tenant_id = tenant order by b.id limit 1; return found; end $$;
create function app.rename_book(tenant int, book int, title text) returns app.book language plpgsql as
  $$ declare found app.book; begin
    update app.book b set title = rename_book.title where b.tenant_id = tenant and b.id = book returning * into found;
    return found; end $$;
create function app.restock(tenant int, more int) returns setof app.book language plpgsql as
  $$ begin return query
    update app.book b set stock = b.stock + more where b.tenant_id = tenant returning *; end $$;
create function app.who() returns text language sql stable as
  $$ select current_setting('request.jwt.claim.tenant', true) $$;
create function app.sql_count(tenant int) returns bigint language sql stable as
  $$ select count(*) from app.book b where b.tenant_id = tenant $$;
create function app.sql_first(tenant int) returns app.book language sql stable as
  $$ select * from app.book b where b.tenant_id = tenant order by b.id limit 1 $$;
create function app.sql_titles(tenant int) returns table (title text, price numeric) language sql stable as
  $$ select b.title, b.price from app.book b where b.tenant_id = tenant order by b.id $$;
create function app.book_total(author app.author) returns bigint language sql stable as
  $$ select count(*) from app.book b where b.tenant_id = $1.tenant_id and b.author_id = $1.id $$;
comment on function app.sql_titles(int) is '@graphql({"expose": true})';
create function app.initial(author app.author) returns text language sql immutable as $$ select left($1.name, 1) $$;
comment on function app.initial is '@graphql({"filter": true, "orderBy": true})';
create function app.scaled(book app.book, factor int) returns numeric language sql immutable as
  $$ select $1.price * factor $$;
comment on function app.scaled is '@graphql({"expose": true, "orderBy": true})';
create function app.cheap_books(author app.author) returns setof app.book language sql stable as
  $$ select * from app.book b where b.tenant_id = $1.tenant_id and b.author_id = $1.id and b.price < 10 $$;
create function app.mark(book app.book, by int) returns app.book language plpgsql as
  $$ declare found app.book; begin
    update app.book b set stock = b.stock + by where b.tenant_id = $1.tenant_id and b.id = $1.id returning * into found;
    return found; end $$;
comment on function app.mark is '@graphql({"expose": true})';
create function app.reset_stock(tenant int) returns void language plpgsql as
  $$ begin update app.book b set stock = 0 where b.tenant_id = tenant; end $$;
comment on function app.reset_stock is '@graphql({"expose": true})';
create function app.titles(tenant int) returns setof text language plpgsql stable as
  $$ begin return query select b.title from app.book b where b.tenant_id = tenant order by b.id; end $$;
comment on function app.titles is '@graphql({"expose": true})';
create function app.stats(tenant int) returns table (books bigint, total numeric) language plpgsql stable as
  $$ begin return query select count(*), sum(b.price) from app.book b where b.tenant_id = tenant; end $$;
comment on function app.stats is '@graphql({"expose": true})';
create function app.notes_by(mood app.mood) returns setof app.note language sql stable as
  $$ select * from app.note n where n.mood = $1 $$;
comment on function app.notes_by is '@graphql({"expose": true})';
create function app.all_books() returns setof app.book language sql stable as $$ select * from app.book $$;
create function app.big(a int, b int default 2) returns int language sql immutable as $$ select a * b $$;
create function app.country_of(tenant int, author int) returns public.country language plpgsql stable as
  $$ declare found public.country; begin
    select c.* into found from public.country c join app.author a on a.country_id = c.id
    where a.tenant_id = tenant and a.id = author;
    return found; end $$;
create function app.add_book(tenant int, book int, title text) returns app.book language plpgsql as
  $$ declare found app.book; begin insert into app.book values (tenant, book, null, title) returning * into found;
    return found; end $$;
create function app.sql_add(tenant int, book int, title text) returns setof app.book language sql as
  $$ insert into app.book values (tenant, book, null, title) returning * $$;
create function app.drop_books(tenant int) returns setof app.book language sql as
  $$ delete from app.book b where b.tenant_id = tenant and b.author_id is null returning * $$;
