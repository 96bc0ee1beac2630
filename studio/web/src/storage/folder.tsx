// A folder: what is in it, page by page, and where files are dropped.

import { useRef, useState } from "react";
import { Failure } from "../http";
import { useLoading } from "../loading";
import { addressOf, follow } from "../router";
import { useCaller, useSession } from "../session";
import { Icon } from "../ui/icons";
import { Blank, bytes, Dialog, FailureNotice, Notice, plural, Waiting } from "../ui/parts";
import { list, remove, type Bucket, type Listing, type StoredObject } from "./api";
import { filesOf } from "./dropped";
import { Preview } from "./preview";
import { useUploads } from "./queue";
import { Uploads } from "./uploads";

const REFRESH_MS = 400;

export function FolderPage({ bucket, folders }: { bucket: Bucket; folders: string[] }) {
  const caller = useCaller();
  const prefix = folders.map((each) => `${each}/`).join("");
  const [pages, setPages] = useState<Listing[]>([]);
  const [chosen, setChosen] = useState(new Set<string>());
  const [shown, setShown] = useState<StoredObject | null>(null);
  const [deleting, setDeleting] = useState(false);
  const [told, setTold] = useState<{ message?: string; failure?: Failure }>({});
  const first = useLoading((signal) => list(caller, bucket.id, prefix, undefined, signal), [caller.id, bucket.id, prefix]);
  const more = async () => {
    const last = pages.at(-1) ?? first.value!;
    const next = await list(caller, bucket.id, prefix, last.nextCursor, new AbortController().signal).catch((failure: Failure) => setTold({ failure }));
    if (next) setPages([...pages, next]);
  };
  const again = () => {
    setPages([]);
    setChosen(new Set());
    first.again();
  };
  const all = first.value ? [first.value, ...pages] : [];
  const objects = all.flatMap((each) => each.objects);
  return (
    <DropZone bucket={bucket} prefix={prefix} done={again}>
      <nav aria-label="Folders" className="row crumbs">
        <a href={addressOf("storage", [bucket.id])} onClick={follow}>
          {bucket.id}
        </a>
        {folders.map((each, index) => (
          <span key={index}>
            / <a href={addressOf("storage", [bucket.id, ...folders.slice(0, index + 1)])} onClick={follow}>{each}</a>
          </span>
        ))}
        <span className="grow" />
        {chosen.size > 0 && (
          <button className="danger" onClick={() => setDeleting(true)}>
            <Icon name="bin" /> Delete {chosen.size}
          </button>
        )}
      </nav>
      {told.message && <Notice tone="good">{told.message}</Notice>}
      {told.failure && <FailureNotice failure={told.failure} />}
      {first.failure && <FailureNotice failure={first.failure} again={again} />}
      {!first.value && first.isLoading && <Waiting what="objects" />}
      {first.value && (
        <Entries
          all={all}
          bucket={bucket}
          folders={folders}
          chosen={chosen}
          choose={setChosen}
          show={setShown}
        />
      )}
      {all.at(-1)?.hasNext && (
        <button onClick={() => void more()}>Show more; {plural(objects.length, "object")} so far</button>
      )}
      {shown && (
        <Preview
          bucket={bucket.id}
          object={shown}
          close={() => setShown(null)}
          changed={(message) => {
            setShown(null);
            setTold({ message });
            again();
          }}
        />
      )}
      {deleting && (
        <Dialog title={`Delete ${plural(chosen.size, "object")}?`} close={() => setDeleting(false)}>
          <p>
            They are deleted for good, as <strong>{caller.name}</strong>.
          </p>
          <div className="row">
            <button
              className="danger"
              onClick={() => {
                setDeleting(false);
                remove(caller, bucket.id, [...chosen]).then(
                  (count) => (setTold({ message: `${count} of ${chosen.size} were deleted.${count < chosen.size ? " Policies keep the rest from this caller, or they are gone." : ""}` }), again()),
                  (failure: Failure) => setTold({ failure }),
                );
              }}
            >
              Delete
            </button>
            <button autoFocus onClick={() => setDeleting(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </DropZone>
  );
}

interface EntriesGiven {
  all: Listing[];
  bucket: Bucket;
  folders: string[];
  chosen: Set<string>;
  choose: (chosen: Set<string>) => void;
  show: (object: StoredObject) => void;
}

function Entries({ all, bucket, folders, chosen, choose, show }: EntriesGiven) {
  const inside = all.flatMap((each) => each.folders);
  const objects = all.flatMap((each) => each.objects);
  if (!inside.length && !objects.length) {
    return (
      <Blank icon="storage" title="Nothing is here">
        Drop files or folders anywhere on this page, or choose some above. If you expected objects, policies on storage.objects may hide them from this caller.
      </Blank>
    );
  }
  const short = (name: string) => name.slice(folders.join("/").length + (folders.length ? 1 : 0));
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    choose(next);
  };
  const isAll = objects.length > 0 && objects.every((each) => chosen.has(each.name));
  return (
    <div className="scroller" tabIndex={0} role="region" aria-label="Objects">
      <table className="objects">
        <caption className="visually-hidden">Folders and objects</caption>
        <thead>
          <tr>
            <th scope="col">
              <input type="checkbox" aria-label="Choose all objects" checked={isAll} onChange={() => choose(new Set(isAll ? [] : objects.map((each) => each.name)))} />
            </th>
            <th scope="col">Name</th>
            <th scope="col">Size</th>
            <th scope="col" className="only-wide">
              Type
            </th>
            <th scope="col" className="only-wide">
              Changed
            </th>
          </tr>
        </thead>
        <tbody>
          {inside.map((each) => (
            <tr key={each.name}>
              <td />
              <td colSpan={2}>
                <a href={addressOf("storage", [bucket.id, ...each.name.split("/").filter(Boolean)])} onClick={follow}>
                  <bdi>{short(each.name)}</bdi>
                </a>
              </td>
              <td className="only-wide muted">folder</td>
              <td className="only-wide" />
            </tr>
          ))}
          {objects.map((each) => (
            <tr key={each.name}>
              <td>
                <input type="checkbox" aria-label={`Choose ${each.name}`} checked={chosen.has(each.name)} onChange={() => toggle(each.name)} />
              </td>
              <td>
                <button className="link" onClick={() => show(each)}>
                  <bdi>{short(each.name)}</bdi>
                </button>
              </td>
              <td className="muted">{bytes(each.metadata?.size ?? 0)}</td>
              <td className="muted only-wide">{each.metadata?.mimetype}</td>
              <td className="muted only-wide">{new Date(each.updated_at).toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DropZone({ bucket, prefix, done, children }: { bucket: Bucket; prefix: string; done: () => void; children: React.ReactNode }) {
  const caller = useCaller();
  const { session } = useSession();
  const [replace, setReplace] = useState(false);
  const [over, setOver] = useState(false);
  const timer = useRef(0);
  const soon = () => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(done, REFRESH_MS);
  };
  const queue = useUploads(caller, bucket.id, replace, soon);
  const add = (files: { file: File; path: string }[]) => queue.add(files.map(({ file, path }) => ({ file, key: prefix + path })));
  return (
    <div
      className={`drop stack ${over ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void filesOf(event.dataTransfer).then(add);
      }}
    >
      <div className="row">
        <label className="button primary-label">
          <Icon name="plus" /> Upload files
          <input
            type="file"
            multiple
            className="visually-hidden"
            onChange={(event) => {
              add([...(event.target.files ?? [])].map((file) => ({ file, path: file.name })));
              event.target.value = "";
            }}
          />
        </label>
        <label className="row small">
          <input type="checkbox" checked={replace} onChange={(event) => setReplace(event.target.checked)} /> Replace objects of the same name
        </label>
        <span className="small muted">or drop files and folders here; at most {bytes(bucket.file_size_limit ?? session?.uploadSizeLimit ?? 0)} each</span>
      </div>
      <Uploads queue={queue} />
      {children}
    </div>
  );
}
