truncate app.badge, app.note, app.profile, app.visit, app.setting, app.measure, app.device, app.review, app.book_genre, app.genre, app.book, app.author, app.tenant,
  app.event, app.memo, public.country;
insert into public.country values (1, 'Norway', 'NO'), (2, 'Chile', 'CL'), (3, 'Kenya', null);
insert into app.tenant values (1, 'one'), (2, 'two'), (3, 'three');
insert into app.author values
  (1, 1, 'Ann', 'ann@x', 4.5, '1970-01-02', '{a,b}', '{"k": 1}', 1),
  (1, 2, 'Ben', 'ben@x', 3.25, '1980-05-06', '{}', '{"k": 2}', 2),
  (1, 3, 'Cid', null, null, null, null, null, null),
  (2, 1, 'Dan', 'dan@x', 2, '1990-01-01', '{c}', '{"k": 3}', 1),
  (2, 2, 'Eve', 'eve@x', 5, '1960-12-31', '{a}', null, 2),
  (3, 1, 'Fay', null, 1, null, '{}', null, null);
insert into app.book values
  (1, 1, 1, 'Alpha', 9.5, 3, '2001-01-01'), (1, 2, 1, 'Beta', 20, 0, '2002-02-02'), (1, 3, 2, 'Gamma', 5, 7, null),
  (1, 4, 2, 'Delta', null, 1, '2004-04-04'), (1, 5, null, 'Epsilon', 1.25, 2, '2005-05-05'),
  (2, 1, 1, 'Zeta', 3, 4, '2006-06-06'), (2, 2, 2, 'Eta', 30, 5, '2007-07-07'), (2, 3, 2, 'Theta', 7.75, 6, null),
  (3, 1, 1, 'Iota', 2, 1, '2008-08-08');
insert into app.review values
  (1, 1, 1, 5, 'good'), (1, 2, 1, 3, 'fair'), (1, 3, 2, 1, 'bad'), (1, 4, 3, 4, null), (2, 1, 1, 2, 'poor'),
  (2, 2, 2, 5, 'great'), (3, 1, 1, 4, 'nice');
insert into app.genre values (1, 1, 'odd'), (1, 2, 'even'), (2, 1, 'prime');
insert into app.book_genre values (1, 1, 1), (1, 2, 2), (1, 3, 1), (2, 1, 1), (2, 2, 1);
insert into app.device values (10, 1, 'lamp'), (11, 1, 'fan'), (12, 2, 'oven');
insert into app.measure values (10, 1, 1, 1.5), (10, 2, 1, 2.5), (11, 1, 1, 3), (12, 1, 2, 9), (12, 2, 2, 8);
insert into app.event (tenant_id, kind, note) values (1, 'open', 'a'), (1, 'shut', 'b'), (2, 'open', 'c');
insert into app.memo values (1, 'first'), (2, 'second');
insert into app.note values
  (1, 1, null, 1, 'The quick fox', 'happy', (1,2), '{"a": {"b": [1, 2]}, "t": "x"}', '{1,2}', '2020-03-01Z', true, 'fox'),
  (1, 2, 1, 1, 'A lazy dog', 'sad', (3,4), '{"a": 5}', '{}', '2020-03-02Z', false, 'dog'),
  (1, 3, 1, 2, 'Foxes and dogs', null, null, '[1, 2]', null, '2020-04-02Z', null, null),
  (1, 4, 2, null, null, 'happy', null, null, '{3}', '2021-01-01Z', true, null),
  (2, 1, null, 1, 'Quick quick', 'sad', (5,6), '{"a": null}', '{1}', '2020-03-05Z', true, 'fox'),
  (2, 2, 1, 1, 'Slow', 'happy', (1,2), null, '{2,2}', '2020-03-06Z', false, null);
insert into app.profile values (1, 1, 'hello'), (2, 1, 'moin');
insert into app.visit values
  (1, 1, '2010-01-01', 'a'), (1, 2, '2021-01-01', 'b'), (2, 1, '2010-01-01', 'a'), (1, 3, '2021-05-05', 'a');
insert into app.setting values (1, 'dark', 5), (2, 'light', 7);
