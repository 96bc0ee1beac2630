--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: auth; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA auth;


ALTER SCHEMA auth OWNER TO postgres;

--
-- Name: graphql; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA graphql;


ALTER SCHEMA graphql OWNER TO postgres;

--
-- Name: SCHEMA graphql; Type: COMMENT; Schema: -; Owner: postgres
--

COMMENT ON SCHEMA graphql IS 'Portico: knows when the schema of this database changes';


--
-- Name: storage; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA storage;


ALTER SCHEMA storage OWNER TO postgres;

--
-- Name: SCHEMA storage; Type: COMMENT; Schema: -; Owner: postgres
--

COMMENT ON SCHEMA storage IS 'Portico: buckets and objects of the storage API; the bytes are elsewhere';


--
-- Name: portico; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS portico WITH SCHEMA pg_catalog;


--
-- Name: EXTENSION portico; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION portico IS 'Portico: what its GraphQL and object storage APIs keep in the database';


--
-- Name: buckettype; Type: TYPE; Schema: storage; Owner: postgres
--

CREATE TYPE storage.buckettype AS ENUM (
    'STANDARD',
    'ANALYTICS',
    'VECTOR'
);


ALTER TYPE storage.buckettype OWNER TO postgres;

--
-- Name: email(); Type: FUNCTION; Schema: auth; Owner: postgres
--

CREATE FUNCTION auth.email() RETURNS text
    LANGUAGE sql STABLE
    AS $$
      select coalesce(
        nullif(current_setting('request.jwt.claim.email', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
      )
    $$;


ALTER FUNCTION auth.email() OWNER TO postgres;

--
-- Name: FUNCTION email(); Type: COMMENT; Schema: auth; Owner: postgres
--

COMMENT ON FUNCTION auth.email() IS 'The claim email of the caller''s token; null without one';


--
-- Name: jwt(); Type: FUNCTION; Schema: auth; Owner: postgres
--

CREATE FUNCTION auth.jwt() RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
      select coalesce(
        nullif(current_setting('request.jwt.claims', true), ''),
        nullif(current_setting('request.jwt.claim', true), '')
      )::jsonb
    $$;


ALTER FUNCTION auth.jwt() OWNER TO postgres;

--
-- Name: FUNCTION jwt(); Type: COMMENT; Schema: auth; Owner: postgres
--

COMMENT ON FUNCTION auth.jwt() IS 'All claims of the caller''s token; null without one';


--
-- Name: role(); Type: FUNCTION; Schema: auth; Owner: postgres
--

CREATE FUNCTION auth.role() RETURNS text
    LANGUAGE sql STABLE
    AS $$
      select coalesce(
        nullif(current_setting('request.jwt.claim.role', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
      )
    $$;


ALTER FUNCTION auth.role() OWNER TO postgres;

--
-- Name: FUNCTION role(); Type: COMMENT; Schema: auth; Owner: postgres
--

COMMENT ON FUNCTION auth.role() IS 'The claim role of the caller''s token; null without one';


--
-- Name: uid(); Type: FUNCTION; Schema: auth; Owner: postgres
--

CREATE FUNCTION auth.uid() RETURNS uuid
    LANGUAGE sql STABLE
    AS $$
      select coalesce(
        nullif(current_setting('request.jwt.claim.sub', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
      )::uuid
    $$;


ALTER FUNCTION auth.uid() OWNER TO postgres;

--
-- Name: FUNCTION uid(); Type: COMMENT; Schema: auth; Owner: postgres
--

COMMENT ON FUNCTION auth.uid() IS 'The user who calls: the claim sub; null without one';


--
-- Name: allow_any_operation(text[]); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.allow_any_operation(expected_operations text[]) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    select coalesce(
      regexp_replace(nullif(current_setting('storage.operation', true), ''), '^storage\.', '')
        in (select regexp_replace(expected, '^storage\.', '') from unnest(expected_operations) as e (expected)),
      false
    )
  $$;


ALTER FUNCTION storage.allow_any_operation(expected_operations text[]) OWNER TO postgres;

--
-- Name: FUNCTION allow_any_operation(expected_operations text[]); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.allow_any_operation(expected_operations text[]) IS 'Whether the current operation is one of these';


--
-- Name: allow_only_operation(text); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.allow_only_operation(expected_operation text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    select coalesce(
      regexp_replace(nullif(current_setting('storage.operation', true), ''), '^storage\.', '')
        = regexp_replace(expected_operation, '^storage\.', ''),
      false
    )
  $$;


ALTER FUNCTION storage.allow_only_operation(expected_operation text) OWNER TO postgres;

--
-- Name: FUNCTION allow_only_operation(expected_operation text); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.allow_only_operation(expected_operation text) IS 'Whether the current operation is this one';


--
-- Name: can_insert_object(text, text, uuid, jsonb); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
  begin
    insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
    raise exception using errcode = 'PT200', message = 'ROLLBACK', detail = 'The insert is permitted and was undone.';
  end
  $$;


ALTER FUNCTION storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) OWNER TO postgres;

--
-- Name: FUNCTION can_insert_object(bucketid text, name text, owner uuid, metadata jsonb); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) IS 'Tries an insert and undoes it: always an error, with SQLSTATE PT200 when the caller may insert';


--
-- Name: enforce_bucket_name_length(); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.enforce_bucket_name_length() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if length(new.name) > 100 then
      raise exception using
        errcode = 'string_data_right_truncation',
        message = format('bucket name is too long: %s characters, 100 are allowed', length(new.name));
    end if;
    return new;
  end
  $$;


ALTER FUNCTION storage.enforce_bucket_name_length() OWNER TO postgres;

--
-- Name: extension(text); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.extension(name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
    select substring((string_to_array(name, '/'))[cardinality(string_to_array(name, '/'))] from '[^.]*$')
  $_$;


ALTER FUNCTION storage.extension(name text) OWNER TO postgres;

--
-- Name: FUNCTION extension(name text); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.extension(name text) IS 'What follows the last dot of the last segment; all of it without a dot';


--
-- Name: filename(text); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.filename(name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    select (string_to_array(name, '/'))[cardinality(string_to_array(name, '/'))]
  $$;


ALTER FUNCTION storage.filename(name text) OWNER TO postgres;

--
-- Name: FUNCTION filename(name text); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.filename(name text) IS 'The last segment of an object''s name';


--
-- Name: foldername(text); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.foldername(name text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
    select (string_to_array(name, '/'))[1 : cardinality(string_to_array(name, '/')) - 1]
  $$;


ALTER FUNCTION storage.foldername(name text) OWNER TO postgres;

--
-- Name: FUNCTION foldername(name text); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.foldername(name text) IS 'All segments of an object''s name but the last';


--
-- Name: get_size_by_bucket(); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.get_size_by_bucket() RETURNS TABLE(size bigint, bucket_id text)
    LANGUAGE sql STABLE
    AS $$
    select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id
  $$;


ALTER FUNCTION storage.get_size_by_bucket() OWNER TO postgres;

--
-- Name: FUNCTION get_size_by_bucket(); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.get_size_by_bucket() IS 'Bytes per bucket, of the objects that the caller may see';


--
-- Name: list_replaced_blob(); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.list_replaced_blob() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  begin
    insert into storage.work (kind, bucket_id, name, version)
      values ('delete_blob', old.bucket_id, old.name, old.version);
    return null;
  end
  $$;


ALTER FUNCTION storage.list_replaced_blob() OWNER TO postgres;

--
-- Name: FUNCTION list_replaced_blob(); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.list_replaced_blob() IS 'Lists the bytes that no row names any more for deletion';


--
-- Name: operation(); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.operation() RETURNS text
    LANGUAGE sql STABLE
    AS $$
    select current_setting('storage.operation', true)
  $$;


ALTER FUNCTION storage.operation() OWNER TO postgres;

--
-- Name: FUNCTION operation(); Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON FUNCTION storage.operation() IS 'The storage API''s operation that this statement is part of';


--
-- Name: protect_delete(); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.protect_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if coalesce(current_setting('storage.allow_delete_query', true), '') <> 'true' then
      raise exception using
        errcode = 'insufficient_privilege',
        message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
        hint = 'The bytes would stay behind. In maintenance: set local storage.allow_delete_query = ''true''.';
    end if;
    return null;
  end
  $$;


ALTER FUNCTION storage.protect_delete() OWNER TO postgres;

--
-- Name: update_updated_at_column(); Type: FUNCTION; Schema: storage; Owner: postgres
--

CREATE FUNCTION storage.update_updated_at_column() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    new.updated_at := now();
    return new;
  end
  $$;


ALTER FUNCTION storage.update_updated_at_column() OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: buckets; Type: TABLE; Schema: storage; Owner: postgres
--

CREATE TABLE storage.buckets (
    id text NOT NULL,
    name text NOT NULL,
    owner uuid,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now(),
    public boolean DEFAULT false,
    avif_autodetection boolean DEFAULT false,
    file_size_limit bigint,
    allowed_mime_types text[],
    owner_id text,
    type storage.buckettype DEFAULT 'STANDARD'::storage.buckettype NOT NULL,
    versioning_status text DEFAULT 'DISABLED'::text NOT NULL,
    CONSTRAINT buckets_versioning_status_check CHECK ((versioning_status = 'DISABLED'::text))
);


ALTER TABLE storage.buckets OWNER TO postgres;

--
-- Name: TABLE buckets; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON TABLE storage.buckets IS 'Buckets of the storage API';


--
-- Name: COLUMN buckets.owner; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON COLUMN storage.buckets.owner IS 'Deprecated: owner_id also holds users whose id is not a uuid';


--
-- Name: installation; Type: TABLE; Schema: storage; Owner: postgres
--

CREATE TABLE storage.installation (
    component text NOT NULL,
    version text NOT NULL,
    installed_at timestamp with time zone DEFAULT now() NOT NULL
);


ALTER TABLE storage.installation OWNER TO postgres;

--
-- Name: TABLE installation; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON TABLE storage.installation IS 'What Portico made here and keeps when the extension is dropped';


--
-- Name: objects; Type: TABLE; Schema: storage; Owner: postgres
--

CREATE TABLE storage.objects (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    bucket_id text,
    name text,
    owner uuid,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now(),
    last_accessed_at timestamp with time zone DEFAULT now(),
    metadata jsonb,
    path_tokens text[] GENERATED ALWAYS AS (string_to_array(name, '/'::text)) STORED,
    version text,
    owner_id text,
    user_metadata jsonb,
    archived_at timestamp with time zone,
    is_delete_marker boolean DEFAULT false NOT NULL,
    is_versioned boolean DEFAULT false NOT NULL
);


ALTER TABLE storage.objects OWNER TO postgres;

--
-- Name: TABLE objects; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON TABLE storage.objects IS 'Objects of the storage API: what is known of each but its bytes';


--
-- Name: COLUMN objects.owner; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON COLUMN storage.objects.owner IS 'Deprecated: owner_id also holds users whose id is not a uuid';


--
-- Name: COLUMN objects.version; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON COLUMN storage.objects.version IS 'Names the bytes: each write has a fresh version, the row tells the valid one';


--
-- Name: work; Type: TABLE; Schema: storage; Owner: postgres
--

CREATE TABLE storage.work (
    id bigint NOT NULL,
    kind text NOT NULL,
    bucket_id text NOT NULL,
    name text NOT NULL,
    version text,
    event jsonb,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    CONSTRAINT work_complete_check CHECK (
CASE kind
    WHEN 'delete_blob'::text THEN (version IS NOT NULL)
    ELSE (event IS NOT NULL)
END),
    CONSTRAINT work_kind_check CHECK ((kind = ANY (ARRAY['delete_blob'::text, 'post_event'::text])))
);


ALTER TABLE storage.work OWNER TO postgres;

--
-- Name: TABLE work; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON TABLE storage.work IS 'What the storage API has still to do: blobs to delete, events to post';


--
-- Name: COLUMN work.due_at; Type: COMMENT; Schema: storage; Owner: postgres
--

COMMENT ON COLUMN storage.work.due_at IS 'Not before this time; moved into the future after a failed attempt';


--
-- Name: work_id_seq; Type: SEQUENCE; Schema: storage; Owner: postgres
--

ALTER TABLE storage.work ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME storage.work_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: buckets buckets_pkey; Type: CONSTRAINT; Schema: storage; Owner: postgres
--

ALTER TABLE ONLY storage.buckets
    ADD CONSTRAINT buckets_pkey PRIMARY KEY (id);


--
-- Name: installation installation_pkey; Type: CONSTRAINT; Schema: storage; Owner: postgres
--

ALTER TABLE ONLY storage.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (component);


--
-- Name: objects objects_pkey; Type: CONSTRAINT; Schema: storage; Owner: postgres
--

ALTER TABLE ONLY storage.objects
    ADD CONSTRAINT objects_pkey PRIMARY KEY (id);


--
-- Name: work work_pkey; Type: CONSTRAINT; Schema: storage; Owner: postgres
--

ALTER TABLE ONLY storage.work
    ADD CONSTRAINT work_pkey PRIMARY KEY (id);


--
-- Name: bname; Type: INDEX; Schema: storage; Owner: postgres
--

CREATE UNIQUE INDEX bname ON storage.buckets USING btree (name);


--
-- Name: bucketid_objname; Type: INDEX; Schema: storage; Owner: postgres
--

CREATE UNIQUE INDEX bucketid_objname ON storage.objects USING btree (bucket_id, name);


--
-- Name: idx_objects_bucket_id_name; Type: INDEX; Schema: storage; Owner: postgres
--

CREATE INDEX idx_objects_bucket_id_name ON storage.objects USING btree (bucket_id, name COLLATE "C");


--
-- Name: idx_objects_bucket_id_name_lower; Type: INDEX; Schema: storage; Owner: postgres
--

CREATE INDEX idx_objects_bucket_id_name_lower ON storage.objects USING btree (bucket_id, lower(name) COLLATE "C");


--
-- Name: name_prefix_search; Type: INDEX; Schema: storage; Owner: postgres
--

CREATE INDEX name_prefix_search ON storage.objects USING btree (name text_pattern_ops);


--
-- Name: work_due; Type: INDEX; Schema: storage; Owner: postgres
--

CREATE INDEX work_due ON storage.work USING btree (kind, due_at);


--
-- Name: buckets enforce_bucket_name_length_trigger; Type: TRIGGER; Schema: storage; Owner: postgres
--

CREATE TRIGGER enforce_bucket_name_length_trigger BEFORE INSERT OR UPDATE OF name ON storage.buckets FOR EACH ROW EXECUTE FUNCTION storage.enforce_bucket_name_length();


--
-- Name: objects list_replaced_blob_on_delete; Type: TRIGGER; Schema: storage; Owner: postgres
--

CREATE TRIGGER list_replaced_blob_on_delete AFTER DELETE ON storage.objects FOR EACH ROW WHEN (((old.version IS NOT NULL) AND (old.bucket_id IS NOT NULL) AND (old.name IS NOT NULL))) EXECUTE FUNCTION storage.list_replaced_blob();


--
-- Name: objects list_replaced_blob_on_update; Type: TRIGGER; Schema: storage; Owner: postgres
--

CREATE TRIGGER list_replaced_blob_on_update AFTER UPDATE ON storage.objects FOR EACH ROW WHEN (((old.version IS DISTINCT FROM new.version) AND (old.version IS NOT NULL) AND (old.bucket_id IS NOT NULL) AND (old.name IS NOT NULL))) EXECUTE FUNCTION storage.list_replaced_blob();


--
-- Name: buckets protect_buckets_delete; Type: TRIGGER; Schema: storage; Owner: postgres
--

CREATE TRIGGER protect_buckets_delete BEFORE DELETE ON storage.buckets FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();


--
-- Name: objects protect_objects_delete; Type: TRIGGER; Schema: storage; Owner: postgres
--

CREATE TRIGGER protect_objects_delete BEFORE DELETE ON storage.objects FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();


--
-- Name: buckets update_buckets_updated_at; Type: TRIGGER; Schema: storage; Owner: postgres
--

CREATE TRIGGER update_buckets_updated_at BEFORE UPDATE OF name, owner, owner_id, public, file_size_limit, allowed_mime_types ON storage.buckets FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column();


--
-- Name: objects update_objects_updated_at; Type: TRIGGER; Schema: storage; Owner: postgres
--

CREATE TRIGGER update_objects_updated_at BEFORE UPDATE OF bucket_id, name, owner, owner_id, metadata, user_metadata, version ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column();


--
-- Name: objects objects_bucketId_fkey; Type: FK CONSTRAINT; Schema: storage; Owner: postgres
--

ALTER TABLE ONLY storage.objects
    ADD CONSTRAINT "objects_bucketId_fkey" FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id);


--
-- Name: buckets; Type: ROW SECURITY; Schema: storage; Owner: postgres
--

ALTER TABLE storage.buckets ENABLE ROW LEVEL SECURITY;

--
-- Name: installation; Type: ROW SECURITY; Schema: storage; Owner: postgres
--

ALTER TABLE storage.installation ENABLE ROW LEVEL SECURITY;

--
-- Name: objects; Type: ROW SECURITY; Schema: storage; Owner: postgres
--

ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY;

--
-- Name: work; Type: ROW SECURITY; Schema: storage; Owner: postgres
--

ALTER TABLE storage.work ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA auth; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA auth TO anon;
GRANT USAGE ON SCHEMA auth TO authenticated;
GRANT USAGE ON SCHEMA auth TO service_role;


--
-- Name: SCHEMA graphql; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA graphql TO PUBLIC;


--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: pg_database_owner
--

GRANT USAGE ON SCHEMA public TO anon;
GRANT USAGE ON SCHEMA public TO authenticated;
GRANT USAGE ON SCHEMA public TO service_role;


--
-- Name: SCHEMA storage; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA storage TO anon;
GRANT USAGE ON SCHEMA storage TO authenticated;
GRANT USAGE ON SCHEMA storage TO service_role;


--
-- Name: TABLE buckets; Type: ACL; Schema: storage; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE storage.buckets TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE storage.buckets TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE storage.buckets TO service_role;


--
-- Name: TABLE installation; Type: ACL; Schema: storage; Owner: postgres
--

GRANT SELECT ON TABLE storage.installation TO service_role;


--
-- Name: TABLE objects; Type: ACL; Schema: storage; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE storage.objects TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE storage.objects TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE storage.objects TO service_role;


--
-- Name: TABLE work; Type: ACL; Schema: storage; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE storage.work TO service_role;


--
-- Name: DEFAULT PRIVILEGES FOR SEQUENCES; Type: DEFAULT ACL; Schema: public; Owner: postgres
--

ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT SELECT,USAGE ON SEQUENCES TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT SELECT,USAGE ON SEQUENCES TO authenticated;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON SEQUENCES TO service_role;


--
-- Name: DEFAULT PRIVILEGES FOR FUNCTIONS; Type: DEFAULT ACL; Schema: public; Owner: postgres
--

ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON FUNCTIONS TO authenticated;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON FUNCTIONS TO service_role;


--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: public; Owner: postgres
--

ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT SELECT,INSERT,DELETE,UPDATE ON TABLES TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT SELECT,INSERT,DELETE,UPDATE ON TABLES TO authenticated;
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON TABLES TO service_role;


--
-- PostgreSQL database dump complete
--


