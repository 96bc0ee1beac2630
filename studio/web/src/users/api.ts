// Requests to sign-in for development, as its administrator.

import { Failure, headersOf, send } from "../http";

export interface User {
  id: string;
  aud: string;
  role: string;
  email: string;
  app_metadata: Record<string, unknown>;
  user_metadata: Record<string, unknown>;
  created_at: string;
  last_sign_in_at?: string;
  email_confirmed_at?: string;
  banned_until?: string;
}

export interface UserPage {
  users: User[];
  total: number;
}

export const PAGE_SIZE = 50;

/** A request to `/auth/v1/admin/users` and the path below it. */
export async function call<Result>(serviceKey: string, method: string, path = "", body?: unknown, signal?: AbortSignal): Promise<Result> {
  const headers = { ...headersOf({ apiKey: serviceKey }), "Content-Type": "application/json" };
  const answer = await send(`/auth/v1/admin/users${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  const result = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Failure(result.msg ?? `The service responded with status ${answer.status}.`, result.error_code, result.hint ?? "");
  return result as Result;
}

/** The claims of a token that the service would sign for the user. */
export function claimsOf(user: User): Record<string, unknown> {
  const { id, aud, email, app_metadata, user_metadata } = user;
  return { sub: id, aud, email, app_metadata, user_metadata, is_anonymous: false };
}

export function isBanned(user: User): boolean {
  return !!user.banned_until && Date.parse(user.banned_until) > Date.now();
}
