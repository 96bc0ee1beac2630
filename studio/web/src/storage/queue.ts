// The upload queue: a few uploads at a time. If the service supports it, large ones are sent in pieces and can be paused.

import { useCallback, useEffect, useRef, useState } from "react";
import { Failure, headersOf, type Credentials } from "../http";
import { pathOf, refusal, ROOT } from "./api";

export interface Upload {
  id: number;
  file: File;
  key: string;
  replace: boolean;
  sent: number;
  state: "waiting" | "running" | "paused" | "done" | "failed";
  problem?: Failure;
  canPause: boolean;
}

interface Running {
  stop: () => void;
  resume?: () => void;
}

const AT_ONCE = 3;
const REFRESH_MS = 400;
/** Smaller files are sent in one request. */
const IN_PIECES = 6 * 1024 * 1024;
const RESUMABLE = `${ROOT}/upload/resumable`;

let made = 0;
let resumable: Promise<boolean> | undefined;

const isResumable = () =>
  (resumable ??= fetch(RESUMABLE, { method: "OPTIONS" }).then(
    (answer) => answer.headers.has("Tus-Version"),
    () => false,
  ));

export type Queue = ReturnType<typeof useUploads>;

/** The uploads into a bucket as a caller. `stored` changes soon after uploads have finished. */
export function useUploads(by: Credentials, bucket: string) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const [stored, setStored] = useState(0);
  const running = useRef(new Map<number, Running>());
  const timer = useRef(0);
  const change = useCallback((id: number, part: Partial<Upload>) => setUploads((old) => old.map((each) => (each.id === id ? { ...each, ...part } : each))), []);

  useEffect(() => {
    const free = AT_ONCE - uploads.filter((each) => each.state === "running").length;
    for (const each of uploads.filter((one) => one.state === "waiting" && !running.current.has(one.id)).slice(0, Math.max(0, free))) {
      void start(each);
    }
    async function start(upload: Upload) {
      running.current.set(upload.id, { stop: () => undefined });
      const inPieces = upload.file.size > IN_PIECES && (await isResumable());
      change(upload.id, { state: "running", canPause: inPieces });
      const callbacks = { progress: (sent: number) => change(upload.id, { sent }), end: (problem?: Failure) => end(upload, problem) };
      running.current.set(upload.id, inPieces ? await sendInPieces(upload, by, bucket, callbacks) : sendWhole(upload, by, bucket, callbacks));
    }
    function end(upload: Upload, problem?: Failure) {
      running.current.delete(upload.id);
      change(upload.id, problem ? { state: "failed", problem } : { state: "done", sent: upload.file.size });
      if (problem) return;
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => setStored((n) => n + 1), REFRESH_MS);
    }
  }, [uploads]);

  useEffect(() => {
    const all = running.current;
    return () => {
      window.clearTimeout(timer.current);
      all.forEach((each) => each.stop());
    };
  }, []);

  const isBusy = uploads.some((each) => each.state !== "done" && each.state !== "failed");
  useEffect(() => {
    if (!isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isBusy]);

  return {
    uploads,
    stored,
    add: (files: Pick<Upload, "file" | "key" | "replace">[]) => setUploads((old) => [...old, ...files.map((each): Upload => ({ ...each, id: ++made, sent: 0, state: "waiting", canPause: false }))]),
    again: (id: number) => change(id, { state: "waiting", sent: 0, problem: undefined }),
    pause: (id: number) => {
      running.current.get(id)?.stop();
      change(id, { state: "paused" });
    },
    resume: (id: number) => {
      running.current.get(id)?.resume?.();
      change(id, { state: "running" });
    },
    clear: () => setUploads((old) => old.filter((each) => each.state !== "done" && each.state !== "failed")),
  };
}

interface Callbacks {
  progress: (sent: number) => void;
  end: (problem?: Failure) => void;
}

function sendWhole(upload: Upload, by: Credentials, bucket: string, callbacks: Callbacks): Running {
  const request = new XMLHttpRequest();
  request.open("POST", `${ROOT}/object/${pathOf(bucket, upload.key)}`);
  for (const [name, value] of Object.entries(headersOf(by))) request.setRequestHeader(name, value);
  request.setRequestHeader("Content-Type", upload.file.type || "application/octet-stream");
  if (upload.replace) request.setRequestHeader("x-upsert", "true");
  request.upload.onprogress = (event) => callbacks.progress(event.loaded);
  request.onload = () => callbacks.end(request.status < 300 ? undefined : refusal(by, request.status, request.responseText));
  request.onerror = () => callbacks.end(new Failure("The service does not answer.", "OFFLINE", "", true));
  request.send(upload.file);
  return { stop: () => request.abort() };
}

async function sendInPieces(upload: Upload, by: Credentials, bucket: string, callbacks: Callbacks): Promise<Running> {
  const { DetailedError, Upload: Pieces } = await import("tus-js-client");
  const pieces = new Pieces(upload.file, {
    endpoint: RESUMABLE,
    headers: { ...headersOf(by), ...(upload.replace ? { "x-upsert": "true" } : {}) },
    metadata: { bucketName: bucket, objectName: upload.key, contentType: upload.file.type || "application/octet-stream" },
    chunkSize: IN_PIECES,
    uploadDataDuringCreation: true,
    storeFingerprintForResuming: false,
    onProgress: callbacks.progress,
    onSuccess: () => callbacks.end(),
    onError: (error) => {
      const answer = error instanceof DetailedError ? error.originalResponse : null;
      callbacks.end(answer ? refusal(by, answer.getStatus(), answer.getBody()) : new Failure(error.message));
    },
  });
  pieces.start();
  return { stop: () => void pieces.abort(), resume: () => pieces.start() };
}
