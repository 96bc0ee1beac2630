// Whether a bucket keeps versions, and how that is changed.

import { useState } from "react";
import type { Failure } from "../http";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Dialog, FailureNotice, focusedFirst } from "../ui/parts";
import { call, type Bucket } from "./api";

/** What each status means, the action that changes it, and the status after that. */
const STATUSES = {
  DISABLED: {
    effect: "A replaced or deleted object is gone. If the bucket keeps versions, a replaced object stays as an older version, and a deleted one goes to the trash. You can suspend that later, but not undo it.",
    action: "Keep versions",
    next: "ENABLED",
  },
  ENABLED: {
    effect: "A replaced object stays as an older version, and a deleted one goes to the trash. If you suspend that, existing versions stay, and objects written from then on are replaced and deleted permanently.",
    action: "Suspend",
    next: "SUSPENDED",
  },
  SUSPENDED: {
    effect: "Older versions and the trash stay. Objects written since the suspension are replaced and deleted permanently.",
    action: "Keep versions again",
    next: "ENABLED",
  },
};

export function Versioning({ bucket, changed }: { bucket: Bucket; changed: () => void }) {
  const caller = useCaller();
  const [open, setOpen] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { effect, action, next } = STATUSES[bucket.versioning_status ?? "DISABLED"];
  const close = () => {
    setOpen(false);
    setFailure(null);
  };
  const change = () => call(caller, "PUT", `bucket/${encodeURIComponent(bucket.id)}`, { versioning_status: next }).then(() => (close(), changed()), setFailure);
  return (
    <>
      <button onClick={() => setOpen(true)}>
        <Icon name="history" /> Versions
      </button>
      {open && (
        <Dialog title={`Versions in ${bucket.id}`} close={close}>
          <p>{effect}</p>
          {failure && <FailureNotice failure={failure} />}
          <div className="row">
            <button className="primary" onClick={() => void change()}>
              {action}
            </button>
            <button ref={focusedFirst} onClick={close}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The choice for a new bucket. */
export function KeepVersions({ checked, set }: { checked: boolean; set: (checked: boolean) => void }) {
  return (
    <label className="row">
      <input type="checkbox" checked={checked} onChange={(event) => set(event.target.checked)} /> Keep versions: replaced and deleted objects can be restored
    </label>
  );
}
