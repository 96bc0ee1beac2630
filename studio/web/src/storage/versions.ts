// Requests for versions of objects: the trash, and what brings a version back or deletes it for good.

import { Failure, type Credentials } from "../http";
import { call, json, pathOf } from "./api";

export interface Version {
  name: string;
  versionId: string;
  isLatest: boolean;
  isDeleteMarker: boolean;
  updated_at: string;
  metadata: { size?: number; mimetype?: string } | null;
}

export interface VersionPage {
  objects: Version[];
  hasNext: boolean;
  nextCursor?: string;
}

const PAGE = 200;

const page = (by: Credentials, bucket: string, wanted: object, cursor?: string, signal?: AbortSignal) =>
  json<VersionPage>(by, "POST", `object/list-v2/${encodeURIComponent(bucket)}`, { ...wanted, ...(cursor ? { cursor } : {}) }, signal);

/** A page of the deleted objects whose names begin with `prefix`, by their delete markers. Older markers are left out. */
export async function trash(by: Credentials, bucket: string, prefix: string, cursor: string | undefined, signal: AbortSignal): Promise<VersionPage> {
  for (;;) {
    const found = await page(by, bucket, { prefix, deleteMarkers: "only", limit: PAGE }, cursor, signal);
    const objects = found.objects.filter((each) => each.isLatest);
    if (objects.length || !found.hasNext) return { ...found, objects };
    cursor = found.nextCursor;
  }
}

/** The versions and delete markers of an object, the newest first. */
export async function versionsOf(by: Credentials, bucket: string, name: string, signal?: AbortSignal): Promise<Version[]> {
  const all: Version[] = [];
  let cursor: string | undefined;
  do {
    const found = await page(by, bucket, { prefix: name, exactMatch: true, noncurrentVersions: "include", deleteMarkers: "include" }, cursor, signal);
    all.push(...found.objects);
    cursor = found.nextCursor;
  } while (cursor);
  return all;
}

const pathOfVersion = (bucket: string, { name, versionId }: Version) => `${pathOf(bucket, name)}?versionId=${encodeURIComponent(versionId)}`;

export async function bytesOfVersion(by: Credentials, bucket: string, version: Version): Promise<Blob> {
  return (await call(by, "GET", `object/authenticated/${pathOfVersion(bucket, version)}`)).blob();
}

/** Write the version's bytes and metadata as a new current version. */
export async function restore(by: Credentials, bucket: string, { name, versionId }: Version): Promise<void> {
  const names = { bucketId: bucket, sourceKey: name, destinationKey: name, sourceVersionId: versionId };
  await call(by, "POST", "object/copy", names, undefined, { "x-upsert": "true" });
}

/** Delete a version or a delete marker for good. */
export async function deleteVersion(by: Credentials, bucket: string, version: Version): Promise<void> {
  await call(by, "DELETE", `object/${pathOfVersion(bucket, version)}`);
}

/** Delete the markers after the newest version, which is current then. */
export async function undelete(by: Credentials, bucket: string, name: string): Promise<void> {
  const all = await versionsOf(by, bucket, name);
  const newest = all.findIndex((each) => !each.isDeleteMarker);
  if (newest < 0) throw new Failure(`${name} has no version that this caller may see.`, "NoSuchVersion");
  for (const marker of all.slice(0, newest)) await deleteVersion(by, bucket, marker);
}

/** Delete all versions of a deleted object. The newest delete marker goes last, so that the object never comes back meanwhile. */
export async function purge(by: Credentials, bucket: string, name: string): Promise<void> {
  const all = await versionsOf(by, bucket, name);
  if (all[0] && !all[0].isDeleteMarker) throw new Failure(`${name} exists again.`, "", "Its versions are kept.");
  for (const each of all.reverse()) await deleteVersion(by, bucket, each);
}
