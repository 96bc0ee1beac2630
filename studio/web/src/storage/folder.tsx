// A folder of a bucket, page by page.

import { useDeferredValue, useState } from "react";
import type { Failure } from "../http";
import { useLoading } from "../loading";
import { follow } from "../router";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { Dialog, FailureNotice, focusedFirst, Notice, plural } from "../ui/parts";
import { addressOfTrash, list, mayHaveVersions, remove, type Bucket, type Listing, type StoredObject } from "./api";
import { Crumbs } from "./crumbs";
import { DropZone } from "./drop";
import { Entries } from "./entries";
import { Preview } from "./preview";
import { useUploads, type Queue } from "./queue";
import { Trash } from "./trash";

/** A bucket's uploads continue while the visitor opens other folders of it, or its trash. */
export function BucketPage({ bucket, prefix, isTrash }: { bucket: Bucket; prefix: string; isTrash: boolean }) {
  const queue = useUploads(useCaller(), bucket.id);
  return isTrash ? <Trash key={prefix} bucket={bucket} prefix={prefix} /> : <FolderPage key={prefix} bucket={bucket} prefix={prefix} queue={queue} />;
}

/** The effect of a deletion, by the versioning of the bucket. */
const EFFECTS = {
  DISABLED: "This deletes them permanently",
  ENABLED: "This moves them to the trash",
  SUSPENDED: "This deletes them permanently, except versions that were written before versioning was suspended, which go to the trash",
  UNKNOWN: "This deletes them permanently, unless the bucket keeps versions",
};

function FolderPage({ bucket, prefix, queue }: { bucket: Bucket; prefix: string; queue: Queue }) {
  const caller = useCaller();
  const [search, setSearch] = useState("");
  const wanted = prefix + useDeferredValue(search);
  const [pages, setPages] = useState<Listing[]>([]);
  const [chosen, setChosen] = useState(new Set<string>());
  const [shown, setShown] = useState<StoredObject | null>(null);
  const [deleting, setDeleting] = useState(false);
  const [outcome, setOutcome] = useState<{ message?: string; failure?: Failure }>({});
  const first = useLoading(
    (signal) => {
      setPages([]);
      return list(caller, bucket.id, wanted, undefined, signal);
    },
    [caller.id, bucket.id, wanted, queue.stored],
  );
  const more = async () => {
    const last = pages.at(-1) ?? first.value!;
    const next = await list(caller, bucket.id, wanted, last.nextCursor, new AbortController().signal).catch((failure: Failure) => setOutcome({ failure }));
    if (next) setPages([...pages, next]);
  };
  const again = () => {
    setChosen(new Set());
    first.again();
  };
  const all = first.value ? [first.value, ...pages] : [];
  const objects = all.flatMap((each) => each.objects);
  return (
    <DropZone bucket={bucket} prefix={prefix} queue={queue}>
      <nav aria-label="Folders" className="row crumbs">
        <Crumbs bucket={bucket.id} prefix={prefix} />
        <span className="grow" />
        <input type="search" aria-label="Names that begin with" placeholder="Names that begin with" value={search} onChange={(event) => setSearch(event.target.value)} />
        {chosen.size > 0 && (
          <button className="danger" onClick={() => setDeleting(true)}>
            <Icon name="bin" /> Delete {chosen.size}
          </button>
        )}
        {mayHaveVersions(bucket) && (
          <a className="button" href={addressOfTrash(bucket.id, prefix)} onClick={follow}>
            <Icon name="bin" /> Trash
          </a>
        )}
      </nav>
      {outcome.message && <Notice tone="good">{outcome.message}</Notice>}
      {outcome.failure && <FailureNotice failure={outcome.failure} />}
      <Loaded from={first} what="objects">
        {() => <Entries all={all} bucket={bucket} prefix={prefix} search={search} chosen={chosen} choose={setChosen} show={setShown} />}
      </Loaded>
      {all.at(-1)?.hasNext && (
        <button onClick={() => void more()}>Show more; {plural(objects.length, "object")} so far</button>
      )}
      {shown && (
        <Preview
          bucket={bucket}
          object={shown}
          close={() => setShown(null)}
          changed={(message) => {
            setShown(null);
            setOutcome({ message });
            again();
          }}
        />
      )}
      {deleting && (
        <Dialog title={`Delete ${plural(chosen.size, "object")}?`} close={() => setDeleting(false)}>
          <p>
            {EFFECTS[bucket.versioning_status ?? (bucket.isHidden ? "UNKNOWN" : "DISABLED")]}, as <strong>{caller.name}</strong>.
          </p>
          <div className="row">
            <button
              className="danger"
              onClick={() => {
                setDeleting(false);
                remove(caller, bucket.id, [...chosen]).then(
                  (count) => (setOutcome({ message: `Deleted ${count} of ${plural(chosen.size, "object")}.${count < chosen.size ? " Policies do not let this caller delete the others, or they no longer exist." : ""}` }), again()),
                  (failure: Failure) => setOutcome({ failure }),
                );
              }}
            >
              Delete
            </button>
            <button ref={focusedFirst} onClick={() => setDeleting(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </DropZone>
  );
}
