// The storage API as the chosen caller, and its errors in words.

import { Failure, headersOf, send, type Credentials } from "../http";
import { addressOf } from "../router";
import { hasExpired } from "../session";

export const ROOT = "/storage/v1";

export interface Bucket {
  id: string;
  public: boolean;
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
}

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

/** The page of a folder, by the beginning that its keys share. */
export const addressOfFolder = (bucket: string, prefix: string) => addressOf("storage", [bucket], prefix ? { folder: prefix } : {});

export const pathOf = (bucket: string, key: string) => `${encodeURIComponent(bucket)}/${key.split("/").map(encodeURIComponent).join("/")}`;

/** The error of a refused request. The storage says of a token what Supabase's says, in no words for people. */
export function refusal(by: Credentials, status: number, text: string): Failure {
  if (hasExpired(by)) return new Failure("The token has expired.", "JWT_EXPIRED", "Choose who asks, at the top right: paste a new token, or make up the user again.");
  try {
    const told = JSON.parse(text) as { message?: string; code?: string; hint?: string };
    return new Failure(told.message ?? `The storage answered ${status}.`, told.code ?? String(status), told.hint ?? "");
  } catch {
    return new Failure(`The storage answered ${status}.`, String(status));
  }
}

export async function call(by: Credentials, method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = headersOf(by);
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await send(`${ROOT}/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  if (!answer.ok) throw refusal(by, answer.status, await answer.text());
  return answer;
}

export async function told<Told>(by: Credentials, method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Told> {
  return (await (await call(by, method, path, body, signal)).json()) as Told;
}

export const buckets = (by: Credentials, signal: AbortSignal) => told<Bucket[]>(by, "GET", "bucket", undefined, signal);

export function list(by: Credentials, bucket: string, prefix: string, cursor: string | undefined, signal: AbortSignal): Promise<Listing> {
  return told(by, "POST", `object/list-v2/${encodeURIComponent(bucket)}`, { prefix, with_delimiter: true, limit: 200, ...(cursor ? { cursor } : {}) }, signal);
}

export async function bytesOf(by: Credentials, bucket: string, key: string, signal: AbortSignal): Promise<Blob> {
  return (await call(by, "GET", `object/authenticated/${pathOf(bucket, key)}`, undefined, signal)).blob();
}

export async function signed(by: Credentials, bucket: string, key: string, seconds: number): Promise<string> {
  const { signedURL } = await told<{ signedURL: string }>(by, "POST", `object/sign/${pathOf(bucket, key)}`, { expiresIn: seconds });
  return `${location.origin}${ROOT}${encodeURI(signedURL)}`;
}

export const publicAddress = (bucket: string, key: string) => `${location.origin}${ROOT}/object/public/${pathOf(bucket, key)}`;

/** How many were deleted; others were not there, or policies hide them. */
export async function remove(by: Credentials, bucket: string, keys: string[]): Promise<number> {
  return (await told<unknown[]>(by, "DELETE", `object/${encodeURIComponent(bucket)}`, { prefixes: keys })).length;
}
