-- The buckets of the demonstration: public maps, and pictures of visits for callers who may see the visit.

insert into storage.buckets (id, name, public) values ('maps', 'maps', true), ('visits', 'visits', false)
on conflict (id) do nothing;

drop policy if exists demonstration on storage.buckets;
create policy demonstration on storage.buckets for select to anon, authenticated using (id in ('maps', 'visits'));

drop policy if exists maps on storage.objects;
create policy maps on storage.objects for select to anon, authenticated using (bucket_id = 'maps');

-- The folder is the id of a visit. The policies on visits decide whether the caller sees this row.
drop policy if exists pictures_of_visits on storage.objects;
create policy pictures_of_visits on storage.objects for select to anon, authenticated
  using (bucket_id = 'visits' and exists (
    select from public.visit where visit.id::text = (storage.foldername(objects.name))[1]));

drop policy if exists pictures_of_own_visits on storage.objects;
create policy pictures_of_own_visits on storage.objects to authenticated
  using (bucket_id = 'visits' and exists (
    select from public.visit where member_id = auth.uid() and visit.id::text = (storage.foldername(objects.name))[1]));
