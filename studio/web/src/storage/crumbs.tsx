// The bucket and the folders above a listing, as links.

import { follow } from "../router";
import { addressOfFolder } from "./api";

export function Crumbs({ bucket, prefix }: { bucket: string; prefix: string }) {
  return (
    <>
      <a href={addressOfFolder(bucket, "")} onClick={follow}>
        {bucket}
      </a>
      {prefix.split("/").slice(0, -1).map((each, index, folders) => (
        <span key={index}>
          / <a href={addressOfFolder(bucket, `${folders.slice(0, index + 1).join("/")}/`)} onClick={follow}>{each || "(no name)"}</a>
        </span>
      ))}
    </>
  );
}
