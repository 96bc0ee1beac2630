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
