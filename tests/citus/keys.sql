alter table app.author add constraint author_tenant foreign key (tenant_id) references app.tenant;
alter table app.author add constraint author_country foreign key (country_id) references public.country;
alter table app.book add constraint book_author foreign key (tenant_id, author_id) references app.author;
alter table app.review add constraint review_book foreign key (tenant_id, book_id) references app.book on delete cascade;
alter table app.book_genre
  add constraint book_genre_book foreign key (tenant_id, book_id) references app.book on delete cascade;
alter table app.book_genre add constraint book_genre_genre foreign key (tenant_id, genre_id) references app.genre;
alter table app.measure add constraint measure_device foreign key (device_id) references app.device;
create unique index note_slug on app.note (tenant_id, slug) where slug is not null;
create unique index note_body on app.note (tenant_id, lower(body));
alter table app.note add constraint note_parent foreign key (tenant_id, parent_id) references app.note;
alter table app.note add constraint note_author foreign key (tenant_id, author_id) references app.author;
alter table app.profile add constraint profile_author foreign key (tenant_id, author_id) references app.author;
alter table app.badge add constraint badge_author foreign key (tenant_id, email) references app.author (tenant_id, email);
comment on constraint note_parent on app.note is
  '@graphql({"local_name": "replies", "foreign_name": "parent"})';
