// The deleted objects of a bucket that keeps versions, or of one of its folders.

import { useDeferredValue, useState } from "react";
import type { Failure } from "../http";
import { useLoading } from "../loading";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { Blank, Dialog, FailureNotice, focusedFirst, Notice, plural } from "../ui/parts";
import type { Bucket } from "./api";
import { Crumbs } from "./crumbs";
import { History, timeOf } from "./history";
import { purge, trash, undelete, type Version, type VersionPage } from "./versions";

const AT_ONCE = 6;

interface Outcome {
  message?: string;
  failure?: Failure;
}

/** Act on each name, a few at a time. `done` begins the message about how many worked; the first failure is kept. */
async function actOnEach(names: string[], act: (name: string) => Promise<void>, done: string): Promise<Outcome> {
  const results: PromiseSettledResult<void>[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    results.push(...(await Promise.allSettled(names.slice(at, at + AT_ONCE).map(act))));
  }
  const failed = results.filter((each) => each.status === "rejected");
  const count = names.length - failed.length;
  return {
    message: count || !failed.length ? `${done} ${failed.length ? `${count} of ` : ""}${plural(names.length, "object")}.` : undefined,
    failure: failed[0]?.reason as Failure | undefined,
  };
}

export function Trash({ bucket, prefix }: { bucket: Bucket; prefix: string }) {
  const caller = useCaller();
  const [search, setSearch] = useState("");
  const wanted = prefix + useDeferredValue(search);
  const [pages, setPages] = useState<VersionPage[]>([]);
  const [chosen, setChosen] = useState(new Set<string>());
  const [shown, setShown] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>({});
  const first = useLoading(
    (signal) => {
      setPages([]);
      setChosen(new Set());
      return trash(caller, bucket.id, wanted, undefined, signal);
    },
    [caller.id, bucket.id, wanted],
  );
  const all = first.value ? [first.value, ...pages] : [];
  const more = async () => {
    const next = await trash(caller, bucket.id, wanted, all.at(-1)!.nextCursor, new AbortController().signal).catch((failure: Failure) => setOutcome({ failure }));
    if (next) setPages([...pages, next]);
  };
  const act = async (action: typeof undelete, done: string) => {
    setBusy(true);
    setOutcome(await actOnEach([...chosen], (name) => action(caller, bucket.id, name), done));
    setBusy(false);
    first.again();
  };
  const deleted = all.flatMap((each) => each.objects);
  return (
    <div className="stack">
      <nav aria-label="Folders" className="row crumbs">
        <Crumbs bucket={bucket.id} prefix={prefix} />
        <span>/ Trash</span>
        <span className="grow" />
        <input type="search" aria-label="Names that begin with" placeholder="Names that begin with" value={search} onChange={(event) => setSearch(event.target.value)} />
        {chosen.size > 0 && (
          <>
            <button className="primary" disabled={isBusy} onClick={() => void act(undelete, "Undeleted")}>
              <Icon name="again" /> Undelete {chosen.size}
            </button>
            <button className="danger" disabled={isBusy} onClick={() => setDeleting(true)}>
              <Icon name="bin" /> Delete {chosen.size} for good
            </button>
          </>
        )}
      </nav>
      {outcome.message && <Notice tone="good">{outcome.message}</Notice>}
      {outcome.failure && <FailureNotice failure={outcome.failure} />}
      <Loaded from={first} what="the trash">
        {() => <Deleted all={deleted} prefix={prefix} isFiltered={!!search} chosen={chosen} choose={setChosen} show={setShown} />}
      </Loaded>
      {all.at(-1)?.hasNext && <button onClick={() => void more()}>Show more; {plural(deleted.length, "object")} so far</button>}
      {shown !== null && (
        <Dialog title={shown} close={() => setShown(null)} side>
          <History
            bucket={bucket.id}
            name={shown}
            changed={(message) => {
              setShown(null);
              setOutcome({ message });
              first.again();
            }}
          />
        </Dialog>
      )}
      {deleting && (
        <Dialog title={`Delete ${plural(chosen.size, "object")} for good?`} close={() => setDeleting(false)}>
          <p>
            This deletes all their versions permanently, as <strong>{caller.name}</strong>.
          </p>
          <div className="row">
            <button
              className="danger"
              onClick={() => {
                setDeleting(false);
                void act(purge, "Deleted");
              }}
            >
              Delete for good
            </button>
            <button ref={focusedFirst} onClick={() => setDeleting(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

interface DeletedGiven {
  all: Version[];
  prefix: string;
  isFiltered: boolean;
  chosen: Set<string>;
  choose: (chosen: Set<string>) => void;
  show: (name: string) => void;
}

function Deleted({ all, prefix, isFiltered, chosen, choose, show }: DeletedGiven) {
  if (!all.length) {
    return (
      <Blank icon="bin" title={isFiltered ? "No matches" : "The trash is empty"}>
        {isFiltered
          ? "The search covers deleted objects of this folder and the folders in it, and is case-sensitive."
          : "Deleted objects stay here until they are deleted for good, or a lifecycle rule does so. If you expected some, policies on storage.versions may hide them from this caller."}
      </Blank>
    );
  }
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    choose(next);
  };
  const isAll = all.every((each) => chosen.has(each.name));
  return (
    <div className="scroller" tabIndex={0} role="region" aria-label="Deleted objects">
      <table className="objects">
        <caption className="visually-hidden">Deleted objects</caption>
        <thead>
          <tr>
            <th scope="col">
              <input type="checkbox" aria-label="Select all deleted objects" checked={isAll} onChange={() => choose(new Set(isAll ? [] : all.map((each) => each.name)))} />
            </th>
            <th scope="col">Name</th>
            <th scope="col">Deleted</th>
          </tr>
        </thead>
        <tbody>
          {all.map((each) => (
            <tr key={each.name}>
              <td>
                <input type="checkbox" aria-label={`Select ${each.name}`} checked={chosen.has(each.name)} onChange={() => toggle(each.name)} />
              </td>
              <td>
                <button className="link" onClick={() => show(each.name)}>
                  <bdi>{each.name.slice(prefix.length)}</bdi>
                </button>
              </td>
              <td className="muted">{timeOf(each)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
