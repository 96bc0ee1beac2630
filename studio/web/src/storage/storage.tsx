// The view Storage: buckets and their folders, as the chosen caller.

import { useEffect, useState } from "react";
import { Failure } from "../http";
import { useLoading } from "../loading";
import { addressOf, follow, go, usePlace } from "../router";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { Blank, bytes, Dialog, FailureNotice, focusedFirst } from "../ui/parts";
import { buckets, call, mayHaveVersions, type Bucket } from "./api";
import { BucketPage } from "./folder";
import { Policies } from "./policies";
import { KeepVersions, Versioning } from "./versioning";
import "../styles/access.css";
import "../styles/storage.css";

export default function Storage() {
  const caller = useCaller();
  const { rest, query } = usePlace();
  const found = useLoading((signal) => buckets(caller, signal), [caller.id]);
  return (
    <Loaded from={found} what="buckets">
      {(all) => <Buckets all={all} chosen={rest[0] ?? ""} prefix={query.get("folder") ?? ""} isTrash={query.get("show") === "trash"} again={found.again} />}
    </Loaded>
  );
}

function Buckets({ all, chosen, prefix, isTrash, again }: { all: Bucket[]; chosen: string; prefix: string; isTrash: boolean; again: () => void }) {
  const caller = useCaller();
  const [creating, setCreating] = useState(false);
  const known = all.find((each) => each.id === chosen);
  const seesAll = caller.role === "service_role";
  const hidden: Bucket = { id: chosen, public: false, file_size_limit: null, allowed_mime_types: null, isHidden: true };
  useEffect(() => {
    if (!chosen && all.length) go(addressOf("storage", [all[0]!.id]), true);
  }, [chosen, all]);
  const bucket = known ?? (chosen && !seesAll ? hidden : undefined);
  return (
    <div className="split">
      <aside aria-label="Buckets">
        <div className="stack">
          <button onClick={() => setCreating(true)}>
            <Icon name="plus" /> New bucket
          </button>
          <ul className="side-list">
            {all.map((each) => (
              <li key={each.id}>
                <a href={addressOf("storage", [each.id])} onClick={follow} aria-current={each.id === chosen ? "page" : undefined}>
                  <span className="ellipsis grow">{each.id}</span>
                  {each.public && <span className="badge warn">public</span>}
                </a>
              </li>
            ))}
          </ul>
        </div>
      </aside>
      <div className="grow">
        {bucket ? (
          <div className="padded">
            <Head bucket={bucket} gone={() => (again(), go(addressOf("storage")))} changed={again} />
            <BucketPage key={bucket.id} bucket={bucket} prefix={prefix} isTrash={isTrash && mayHaveVersions(bucket)} />
          </div>
        ) : chosen ? (
          <Blank icon="storage" title={`There is no bucket ${chosen}`}>It may have been deleted.</Blank>
        ) : all.length ? null : seesAll ? (
          <Blank icon="storage" title="No buckets yet">Create the first one with “New bucket”.</Blank>
        ) : (
          <Blank icon="storage" title={`${caller.name} sees no buckets`}>
            <p>There are none, or no policy on storage.buckets shows them to {caller.role}. The service role sees all buckets.</p>
            <OpenByName />
          </Blank>
        )}
      </div>
      {creating && (
        <NewBucket
          close={() => setCreating(false)}
          done={(name) => {
            setCreating(false);
            again();
            go(addressOf("storage", [name]));
          }}
        />
      )}
    </div>
  );
}

/** A caller may see objects of a bucket whose row it cannot see. */
function OpenByName() {
  const [name, setName] = useState("");
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name) go(addressOf("storage", [name]));
      }}
    >
      <input aria-label="Name of a bucket" placeholder="Name of a bucket" value={name} onChange={(event) => setName(event.target.value)} />
      <button>Open</button>
    </form>
  );
}

function Head({ bucket, gone, changed }: { bucket: Bucket; gone: () => void; changed: () => void }) {
  const caller = useCaller();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [deleting, setDeleting] = useState(false);
  const act = (method: string, path: string, then: () => void, body?: unknown) => call(caller, method, path, body).then(then, setFailure);
  const path = `bucket/${encodeURIComponent(bucket.id)}`;
  return (
    <>
      <div className="row">
        <h2>{bucket.id}</h2>
        {bucket.public && <span className="badge warn">anyone can read its objects by URL</span>}
        {bucket.file_size_limit !== null && <span className="badge">at most {bytes(bucket.file_size_limit)}</span>}
        {bucket.allowed_mime_types && <span className="badge">{bucket.allowed_mime_types.join(", ")}</span>}
        {bucket.versioning_status && <span className="badge">{bucket.versioning_status === "ENABLED" ? "keeps versions" : "versions suspended"}</span>}
        <span className="grow" />
        <Policies withVersions={mayHaveVersions(bucket)} />
        {!bucket.isHidden && (
          <>
            <Versioning bucket={bucket} changed={changed} />
            <button onClick={() => void act("PUT", path, changed, { public: !bucket.public })}>Make {bucket.public ? "private" : "public"}</button>
            <button className="plain" aria-label="Delete the bucket" onClick={() => setDeleting(true)}>
              <Icon name="bin" />
            </button>
          </>
        )}
      </div>
      {failure && <FailureNotice failure={failure} />}
      {deleting && (
        <Dialog title={`Delete the bucket ${bucket.id}?`} close={() => setDeleting(false)}>
          <p>
            It must be empty{bucket.versioning_status && ", without older versions"}. “Empty” permanently deletes all its objects
            {bucket.versioning_status && " with all their versions"}, and needs the service role.
          </p>
          {failure && <FailureNotice failure={failure} />}
          <div className="row">
            <button className="danger" onClick={() => void act("DELETE", path, gone)}>
              Delete
            </button>
            <button onClick={() => void act("POST", `${path}/empty`, changed)}>Empty</button>
            <button ref={focusedFirst} onClick={() => setDeleting(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function NewBucket({ close, done }: { close: () => void; done: (name: string) => void }) {
  const caller = useCaller();
  const [name, setName] = useState("");
  const [isPublic, setPublic] = useState(false);
  const [limit, setLimit] = useState("");
  const [types, setTypes] = useState("");
  const [isVersioned, setVersioned] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const create = (event: React.FormEvent) => {
    event.preventDefault();
    const body = {
      name,
      public: isPublic,
      ...(limit ? { file_size_limit: limit } : {}),
      ...(types ? { allowed_mime_types: types.split(",").map((each) => each.trim()) } : {}),
      ...(isVersioned ? { versioning_status: "ENABLED" } : {}),
    };
    call(caller, "POST", "bucket", body).then(() => done(name), setFailure);
  };
  return (
    <Dialog title="New bucket" close={close}>
      <form className="stack" onSubmit={create}>
        <label className="field">
          <span>Name</span>
          <input required ref={focusedFirst} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="row">
          <input type="checkbox" checked={isPublic} onChange={(event) => setPublic(event.target.checked)} /> Public: anyone can read its objects by URL
        </label>
        <KeepVersions checked={isVersioned} set={setVersioned} />
        <label className="field">
          <span>Maximum object size</span>
          <input value={limit} placeholder="the service's limit, or for example 10MB" onChange={(event) => setLimit(event.target.value)} />
        </label>
        <label className="field">
          <span>Media types</span>
          <input value={types} placeholder="all, or for example image/*, application/pdf" onChange={(event) => setTypes(event.target.value)} />
        </label>
        {failure && <FailureNotice failure={failure} />}
        <div className="row">
          <button className="primary">Create</button>
        </div>
      </form>
    </Dialog>
  );
}
