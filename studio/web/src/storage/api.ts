// Requests to the storage API as the chosen caller, and readable messages for their errors.

import { Failure, headersOf, send, type Credentials } from "../http";
import { addressOf } from "../router";
import { hasExpired } from "../session";

export const ROOT = "/storage/v1";

export interface Bucket {
  id: string;
  public: boolean;
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
  /** Absent for a bucket that has never kept versions. */
  versioning_status?: "ENABLED" | "SUSPENDED";
  /** The caller does not see the bucket's row, so its settings are unknown. */
  isHidden?: boolean;
}

/** A bucket that is hidden from the caller may keep versions that are not. */
export const mayHaveVersions = (bucket: Bucket) => !!bucket.versioning_status || !!bucket.isHidden;

export interface Folder {
  key: string;
  name: string;
}

export interface StoredObject {
  name: string;
  key: string;
  updated_at: string;
  metadata: { size?: number; mimetype?: string } | null;
}

export interface Listing {
  folders: Folder[];
  objects: StoredObject[];
  hasNext: boolean;
  nextCursor?: string;
}

/** A page of a folder; `prefix` is the common start of its keys. */
export const addressOfFolder = (bucket: string, prefix: string) => addressOf("storage", [bucket], prefix ? { folder: prefix } : {});

/** The trash of a folder and the folders in it. */
export const addressOfTrash = (bucket: string, prefix: string) => addressOf("storage", [bucket], { ...(prefix ? { folder: prefix } : {}), show: "trash" });

export const pathOf = (bucket: string, key: string) => `${encodeURIComponent(bucket)}/${key.split("/").map(encodeURIComponent).join("/")}`;

/** The error of a refused request. For an expired token, it replaces Supabase's message, which is hard to read. */
export function refusal(by: Credentials, status: number, text: string): Failure {
  if (hasExpired(by)) return new Failure("The token has expired.", "JWT_EXPIRED", "Use the caller switch at the top right: paste a new token, or add the test user again.");
  try {
    const error = JSON.parse(text) as { message?: string; code?: string; hint?: string };
    return new Failure(error.message ?? `The storage responded with status ${status}.`, error.code ?? String(status), error.hint ?? "");
  } catch {
    return new Failure(`The storage responded with status ${status}.`, String(status));
  }
}

export async function call(by: Credentials, method: string, path: string, body?: unknown, signal?: AbortSignal, more: Record<string, string> = {}): Promise<Response> {
  const headers: Record<string, string> = { ...headersOf(by), ...more };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await send(`${ROOT}/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  if (!answer.ok) throw refusal(by, answer.status, await answer.text());
  return answer;
}

export async function json<Result>(by: Credentials, method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Result> {
  return (await (await call(by, method, path, body, signal)).json()) as Result;
}

export const buckets = (by: Credentials, signal: AbortSignal) => json<Bucket[]>(by, "GET", "bucket", undefined, signal);

export function list(by: Credentials, bucket: string, prefix: string, cursor: string | undefined, signal: AbortSignal): Promise<Listing> {
  return json(by, "POST", `object/list-v2/${encodeURIComponent(bucket)}`, { prefix, with_delimiter: true, limit: 200, ...(cursor ? { cursor } : {}) }, signal);
}

export async function bytesOf(by: Credentials, bucket: string, key: string, signal: AbortSignal): Promise<Blob> {
  return (await call(by, "GET", `object/authenticated/${pathOf(bucket, key)}`, undefined, signal)).blob();
}

export async function signed(by: Credentials, bucket: string, key: string, seconds: number): Promise<string> {
  const { signedURL } = await json<{ signedURL: string }>(by, "POST", `object/sign/${pathOf(bucket, key)}`, { expiresIn: seconds });
  return `${location.origin}${ROOT}${encodeURI(signedURL)}`;
}

export const publicAddress = (bucket: string, key: string) => `${location.origin}${ROOT}/object/public/${pathOf(bucket, key)}`;

/** The number of deleted objects. Others did not exist, or policies hide them. */
export async function remove(by: Credentials, bucket: string, keys: string[]): Promise<number> {
  return (await json<unknown[]>(by, "DELETE", `object/${encodeURIComponent(bucket)}`, { prefixes: keys })).length;
}
