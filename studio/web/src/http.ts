// Requests to the service, and readable messages for their failures.

/** A refusal or a failure. `offline`: the service did not answer. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly code = "",
    readonly hint = "",
    readonly offline = false,
  ) {
    super(message);
  }
}

export interface Credentials {
  apiKey: string;
  /** The bearer token of a user. Without it, only the API key is sent. */
  token?: string;
}

/** The secret in the address that a development service printed. This browser stores it for later visits. */
const start = startOf(new URLSearchParams(location.hash.slice(1)).get("start"));

function startOf(given: string | null): string {
  if (!given) return localStorage.getItem("portico-start") ?? "";
  localStorage.setItem("portico-start", given);
  history.replaceState(null, "", location.pathname + location.search);
  return given;
}

const page = document.querySelector<HTMLMetaElement>('meta[name="portico-page"]')?.content ?? "";

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Failure("The service does not answer.", "OFFLINE", "Is it still running? This page retries automatically.", true);
  }
}

/** A request to an endpoint of the page. Endpoints about the complete database need the key of the service role. */
export async function ask<Result>(path: string, serviceKey?: string, body?: unknown): Promise<Result> {
  const headers: Record<string, string> = { "X-Studio-Page": page, "X-Studio-Start": start };
  if (serviceKey) headers["X-Studio-Key"] = serviceKey;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const method = body === undefined ? "GET" : "POST";
  const answer = await send(`/studio/api/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const result = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const error = result.error ?? result.errors?.[0] ?? {};
    throw new Failure(error.message ?? `The service responded with status ${answer.status}.`, error.code ?? error.extensions?.code, error.hint ?? "");
  }
  return result as Result;
}

export function headersOf({ apiKey, token }: Credentials): Record<string, string> {
  return { apiKey, Authorization: `Bearer ${token ?? apiKey}` };
}

export interface GraphQLError {
  message: string;
  path?: (string | number)[];
  locations?: { line: number; column: number }[];
  extensions?: { code?: string; hint?: string; detail?: string };
}

export interface Answer {
  data?: Record<string, any> | null;
  errors?: GraphQLError[];
  extensions?: Record<string, any>;
}

/** A response with its size, its time by stage, and its text. */
export interface Travelled {
  answer: Answer;
  text: string;
  status: number;
  bytes: number;
  milliseconds: number;
  stages: { name: string; milliseconds: number }[];
}

export interface Operation {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
  extensions?: Record<string, unknown>;
}

export async function run(operation: Operation, by: Credentials, headers = {}, signal?: AbortSignal): Promise<Travelled> {
  const began = performance.now();
  const sent = { "Content-Type": "application/json", Accept: "application/json", ...headersOf(by), ...headers };
  const answer = await send("/graphql/v1", { method: "POST", headers: sent, body: JSON.stringify(operation), signal });
  const text = await answer.text();
  const milliseconds = performance.now() - began;
  let result: Answer;
  try {
    result = JSON.parse(text);
  } catch {
    throw new Failure(`The service responded with status ${answer.status}, without JSON.`, String(answer.status));
  }
  const stages = [...(answer.headers.get("Server-Timing") ?? "").matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, ms]) => ({
    name: name!,
    milliseconds: Number(ms),
  }));
  return { answer: result, text, status: answer.status, bytes: new Blob([text]).size, milliseconds, stages };
}

/** The data of an operation that is expected to succeed. */
export async function data(operation: Operation, by: Credentials, signal?: AbortSignal): Promise<Record<string, any>> {
  const { answer } = await run(operation, by, {}, signal);
  const error = answer.errors?.[0];
  if (error) throw new Failure(error.message, error.extensions?.code, error.extensions?.hint);
  return answer.data ?? {};
}
