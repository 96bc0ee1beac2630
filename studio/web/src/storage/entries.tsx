// The table of the listed folders and objects of a folder.

import { follow } from "../router";
import { Blank, bytes } from "../ui/parts";
import { addressOfFolder, type Bucket, type Listing, type StoredObject } from "./api";

interface EntriesGiven {
  all: Listing[];
  bucket: Bucket;
  prefix: string;
  search: string;
  chosen: Set<string>;
  choose: (chosen: Set<string>) => void;
  show: (object: StoredObject) => void;
}

export function Entries({ all, bucket, prefix, search, chosen, choose, show }: EntriesGiven) {
  const inside = all.flatMap((each) => each.folders);
  const objects = all.flatMap((each) => each.objects);
  if (!inside.length && !objects.length) {
    return (
      <Blank icon="storage" title={search ? "No matches" : "This folder is empty"}>
        {search
          ? "The search covers folders and objects of this folder, and is case-sensitive."
          : "Drop files or folders anywhere on this page, or choose some above. If you expected objects, policies on storage.objects may hide them from this caller."}
      </Blank>
    );
  }
  const short = (name: string) => name.slice(prefix.length);
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
              <input type="checkbox" aria-label="Select all objects" checked={isAll} onChange={() => choose(new Set(isAll ? [] : objects.map((each) => each.name)))} />
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
                <a href={addressOfFolder(bucket.id, each.name)} onClick={follow}>
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
                <input type="checkbox" aria-label={`Select ${each.name}`} checked={chosen.has(each.name)} onChange={() => toggle(each.name)} />
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
