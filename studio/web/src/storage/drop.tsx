// The area where files are dropped or chosen, and the list of uploads.

import { useState } from "react";
import { Icon } from "../ui/icons";
import { bytes } from "../ui/parts";
import { useSession } from "../session";
import type { Bucket } from "./api";
import { filesOf, type Dropped } from "./dropped";
import type { Queue } from "./queue";
import { Uploads } from "./uploads";

export function DropZone({ bucket, prefix, queue, children }: { bucket: Bucket; prefix: string; queue: Queue; children: React.ReactNode }) {
  const { session } = useSession();
  const [replace, setReplace] = useState(false);
  const [over, setOver] = useState(false);
  const add = (files: Dropped[]) => queue.add(files.map(({ file, path }) => ({ file, key: prefix + path, replace })));
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
