// The preview of an object, and the operations on it.

import { useEffect, useState } from "react";
import { Failure } from "../http";
import { useLoading } from "../loading";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { bytes, Copy, Dialog, FailureNotice, Waiting } from "../ui/parts";
import { bytesOf, call, mayHaveVersions, publicAddress, signed, type Bucket, type StoredObject } from "./api";
import { History } from "./history";

const LARGEST_SEEN = 20 * 1024 * 1024;
const LONGEST_TEXT = 100_000;
const IS_TEXT = /^(text\/|application\/(json|xml|javascript|x-sh|sql|yaml))/;

interface Given {
  bucket: Bucket;
  object: StoredObject;
  changed: (message: string) => void;
  close: () => void;
}

export function Preview({ bucket, object, changed, close }: Given) {
  const type = object.metadata?.mimetype ?? "";
  const size = object.metadata?.size ?? 0;
  return (
    <Dialog title={object.name} close={close} side>
      <p className="small muted">
        {type} · {bytes(size)} · {new Date(object.updated_at).toLocaleString()}
      </p>
      {/^(image|video|audio)\//.test(type) || IS_TEXT.test(type) ? (
        size > LARGEST_SEEN ? (
          <p className="muted">The object is too large for a preview.</p>
        ) : (
          <Seen bucket={bucket.id} name={object.name} type={type} />
        )
      ) : (
        <p className="muted">There is no preview of this type.</p>
      )}
      <Download bucket={bucket.id} name={object.name} />
      {bucket.public && (
        <fieldset className="stack">
          <legend>
            <strong>Anyone can read it at</strong>
          </legend>
          <Shown link={publicAddress(bucket.id, object.name)} what="The public URL" />
        </fieldset>
      )}
      <Link bucket={bucket.id} name={object.name} />
      <Move bucket={bucket.id} name={object.name} changed={changed} />
      {mayHaveVersions(bucket) && <History bucket={bucket.id} name={object.name} changed={changed} />}
    </Dialog>
  );
}

function useBlob(bucket: string, name: string) {
  const caller = useCaller();
  return useLoading((signal) => bytesOf(caller, bucket, name, signal), [bucket, name, caller.id]);
}

function Seen({ bucket, name, type }: { bucket: string; name: string; type: string }) {
  const { value, failure } = useBlob(bucket, name);
  const [url, setUrl] = useState("");
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    if (!value) return undefined;
    if (IS_TEXT.test(type)) {
      void value.slice(0, LONGEST_TEXT).text().then(setText);
      return undefined;
    }
    const made = URL.createObjectURL(value);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [value, type]);
  if (failure) return <FailureNotice failure={failure} />;
  if (text !== null) {
    return (
      <pre className="sql seen" tabIndex={0} dir="auto" aria-label={`Beginning of ${name}`}>
        {text}
      </pre>
    );
  }
  if (!url) return <Waiting what="the preview" />;
  if (type.startsWith("image/")) return <img className="seen" src={url} alt={name} />;
  if (type.startsWith("video/")) return <video className="seen" src={url} controls />;
  return <audio src={url} controls />;
}

function Download({ bucket, name }: { bucket: string; name: string }) {
  const caller = useCaller();
  const [failure, setFailure] = useState<Failure | null>(null);
  const download = async () => {
    try {
      // A link that is valid for a minute, so that the browser itself saves the file, regardless of its size.
      const link = document.createElement("a");
      link.href = `${await signed(caller, bucket, name, 60)}&download=`;
      link.download = name.split("/").at(-1)!;
      link.click();
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <div className="row">
      <button onClick={() => void download()}>
        <Icon name="down" /> Download
      </button>
      {failure && <FailureNotice failure={failure} />}
    </div>
  );
}

const SPANS = { "5 minutes": 300, "1 hour": 3600, "1 day": 86_400, "1 week": 604_800 };

function Link({ bucket, name }: { bucket: string; name: string }) {
  const caller = useCaller();
  const [seconds, setSeconds] = useState(3600);
  const [link, setLink] = useState("");
  const [failure, setFailure] = useState<Failure | null>(null);
  const make = () => signed(caller, bucket, name, seconds).then(setLink, setFailure);
  return (
    <fieldset className="stack">
      <legend>
        <strong>A link for others</strong>
      </legend>
      <div className="row">
        <select aria-label="Valid for" value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
          {Object.entries(SPANS).map(([label, each]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
        <button onClick={() => void make()}>
          <Icon name="link" /> Create a link
        </button>
      </div>
      {link && <Shown link={link} what="The link" />}
      {failure && <FailureNotice failure={failure} />}
    </fieldset>
  );
}

function Shown({ link, what }: { link: string; what: string }) {
  return (
    <div className="row">
      <input readOnly className="grow mono" aria-label={what} value={link} onFocus={(event) => event.target.select()} />
      <Copy text={link} what={what.toLowerCase()} />
    </div>
  );
}

function Move({ bucket, name, changed }: { bucket: string; name: string; changed: (message: string) => void }) {
  const caller = useCaller();
  const [to, setTo] = useState(name);
  const [failure, setFailure] = useState<Failure | null>(null);
  const act = async (how: "move" | "copy") => {
    try {
      await call(caller, "POST", `object/${how}`, { bucketId: bucket, sourceKey: name, destinationKey: to });
      changed(how === "move" ? `Moved to ${to}.` : `Copied to ${to}.`);
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <fieldset className="stack">
      <legend>
        <strong>Rename, move or copy</strong>
      </legend>
      <input aria-label="New name, with its folders" value={to} onChange={(event) => setTo(event.target.value)} dir="auto" />
      <div className="row">
        <button disabled={to === name || !to} onClick={() => void act("move")}>
          Move
        </button>
        <button disabled={to === name || !to} onClick={() => void act("copy")}>
          Copy
        </button>
      </div>
      {failure && <FailureNotice failure={failure} />}
    </fieldset>
  );
}
