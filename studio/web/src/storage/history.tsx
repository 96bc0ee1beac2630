// The versions of an object, each with its operations.

import { useState } from "react";
import type { Failure } from "../http";
import { useLoading } from "../loading";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { bytes, count, Dialog, FailureNotice, focusedFirst } from "../ui/parts";
import { saveBytes } from "../ui/save";
import { bytesOfVersion, deleteVersion, restore, undelete, versionsOf, type Version } from "./versions";

const FIRST = 50;

interface Given {
  bucket: string;
  name: string;
  /** Called if the object has another current version now, or none. */
  changed: (message: string) => void;
}

export const timeOf = (version: Version) => new Date(version.updated_at).toLocaleString();

export function History({ bucket, name, changed }: Given) {
  const caller = useCaller();
  const found = useLoading((signal) => versionsOf(caller, bucket, name, signal), [caller.id, bucket, name]);
  const [isWhole, setWhole] = useState(false);
  const [message, setMessage] = useState("");
  const [failure, setFailure] = useState<Failure | null>(null);
  const [deleting, setDeleting] = useState<Version | null>(null);
  const act = async (action: Promise<unknown>, then?: () => void) => {
    setMessage("");
    setFailure(null);
    await action.then(then, setFailure);
  };
  const remove = (version: Version) =>
    act(deleteVersion(caller, bucket, version), () => {
      const done = `Deleted the version of ${timeOf(version)}.`;
      if (version.isLatest) return changed(done);
      setMessage(done);
      found.again();
    });
  const operations: Operations = {
    download: (version) => act(bytesOfVersion(caller, bucket, version).then((content) => saveBytes(name.split("/").at(-1)!, content))),
    restore: (version) => act(restore(caller, bucket, version), () => changed(`Restored the version of ${timeOf(version)} of ${name}.`)),
    undelete: () => act(undelete(caller, bucket, name), () => changed(`Undeleted ${name}.`)),
    remove: setDeleting,
  };
  return (
    <fieldset className="stack">
      <legend>
        <strong>Versions</strong>
      </legend>
      {message && <p role="status">{message}</p>}
      {failure && <FailureNotice failure={failure} />}
      <Loaded from={found} what="versions">
        {(all) => (
          <>
            <ul className="versions">
              {all.slice(0, isWhole ? undefined : FIRST).map((each) => (
                <Entry key={each.versionId} version={each} operations={operations} />
              ))}
            </ul>
            {!isWhole && all.length > FIRST && <button onClick={() => setWhole(true)}>Show all {count.format(all.length)}</button>}
            {all.filter((each) => !each.isDeleteMarker).length < 2 && <p className="small muted">There are no other versions, or policies on storage.versions hide them from this caller.</p>}
          </>
        )}
      </Loaded>
      {deleting && (
        <Deletion
          version={deleting}
          close={() => setDeleting(null)}
          confirmed={() => {
            setDeleting(null);
            void remove(deleting);
          }}
        />
      )}
    </fieldset>
  );
}

type Operations = Record<"download" | "restore" | "undelete" | "remove", (version: Version) => void>;

function Entry({ version, operations }: { version: Version; operations: Operations }) {
  const { isLatest, isDeleteMarker } = version;
  const time = timeOf(version);
  return (
    <li className="row">
      <span className="grow">
        {time} {isLatest && !isDeleteMarker && <span className="badge good">current</span>}
        <span className="small muted block">{isDeleteMarker ? "deleted" : bytes(version.metadata?.size ?? 0)}</span>
      </span>
      {!isDeleteMarker && (
        <button className="plain" aria-label={`Download the version of ${time}`} onClick={() => operations.download(version)}>
          <Icon name="down" />
        </button>
      )}
      {!isDeleteMarker && !isLatest && (
        <button aria-label={`Restore the version of ${time}`} onClick={() => operations.restore(version)}>
          Restore
        </button>
      )}
      {isDeleteMarker && isLatest && <button onClick={() => operations.undelete(version)}>Undelete</button>}
      {!isDeleteMarker && (
        <button className="plain" aria-label={`Delete the version of ${time} for good`} onClick={() => operations.remove(version)}>
          <Icon name="bin" />
        </button>
      )}
    </li>
  );
}

function Deletion({ version, close, confirmed }: { version: Version; close: () => void; confirmed: () => void }) {
  return (
    <Dialog title="Delete this version for good?" close={close}>
      <p>
        The version of {timeOf(version)} cannot be restored afterwards.
        {version.isLatest && " It is the current one: the version before it is current then, if there is one."}
      </p>
      <div className="row">
        <button className="danger" onClick={confirmed}>
          Delete for good
        </button>
        <button ref={focusedFirst} onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
