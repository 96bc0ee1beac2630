// Runs a document, and holds the result of the last run: a response, or the answers of a stream.

import { parse } from "graphql";
import { useEffect, useRef, useState } from "react";
import { Failure, run } from "../http";
import { useCaller } from "../session";
import type { Document, Past } from "./kept";
import { KEPT, type Live } from "./live";
import type { Ran } from "./result";
import { openStream } from "./stream";

type Text = Pick<Document, "query" | "variables" | "headers">;

/** Runs documents as the caller, one at a time: a new run stops the previous one. `trial` rolls the run back. Subscriptions,
 * and queries that `listen` takes, run as streams. */
export function useRunning(remember: (entry: Past) => void) {
  const caller = useCaller();
  const [ran, setRan] = useState<Ran | null>(null);
  const [live, setLive] = useState<Live | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController>(null);
  const closeStream = useRef<() => void>(() => {});
  useEffect(() => () => closeStream.current(), []);

  const begin = () => {
    control.current?.abort();
    closeStream.current();
    setLive(null);
    setFailure(null);
    return (control.current = new AbortController());
  };
  const fail = (error: unknown) => setFailure(error instanceof Failure ? error : new Failure(String(error)));

  const execute = async (text: Text, trial = false) => {
    if (operationKind(text.query) === "subscription") return listen(text);
    const { query, variables, headers } = text;
    const own = begin();
    setRunning(true);
    try {
      const operation = { query, variables: objectOf(variables, "Variables"), ...(trial ? { extensions: { dryRun: true } } : {}) };
      const travelled = await run(operation, caller, objectOf(headers, "Headers") as Record<string, string>, own.signal);
      setRan({ operation: { query, variables: operation.variables }, travelled, isMutation: operationKind(query) === "mutation", tried: trial });
      remember({ query, variables, at: Date.now(), as: caller.name });
    } catch (error) {
      if (own.signal.aborted) return;
      fail(error);
    } finally {
      if (control.current === own) setRunning(false);
    }
  };

  const listen = ({ query, variables, headers }: Text) => {
    begin();
    setRunning(false);
    setRan(null);
    try {
      const operation = { query, variables: objectOf(variables, "Variables") };
      const given = objectOf(headers, "Headers") as Record<string, string> | undefined;
      setLive({ query, isOpen: true, count: 0, answers: [] });
      closeStream.current = openStream(operation, caller, given ?? {}, {
        answer: (answer) => setLive((old) => old && { ...old, count: old.count + 1, answers: [{ number: old.count + 1, at: Date.now(), answer }, ...old.answers].slice(0, KEPT) }),
        ended: () => setLive((old) => old && { ...old, isOpen: false }),
        failed: (error) => {
          setLive((old) => (old?.count ? { ...old, isOpen: false } : null));
          setFailure(error);
        },
      });
      remember({ query, variables, at: Date.now(), as: caller.name });
    } catch (error) {
      fail(error);
    }
  };
  const stop = () => {
    closeStream.current();
    setLive((old) => old && { ...old, isOpen: false });
  };
  return { ran, live, failure, isRunning, execute, listen, stop };
}

function objectOf(text: string, what: string): Record<string, unknown> | undefined {
  if (!text.trim()) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    if (found && typeof found === "object" && !Array.isArray(found)) return found as Record<string, unknown>;
  } catch {
    // The Failure is thrown below.
  }
  throw new Failure(`${what} must be a JSON object.`, "BAD_INPUT");
}

export function operationKind(text: string): "query" | "mutation" | "subscription" | "" {
  try {
    const operation = parse(text, { noLocation: true }).definitions.find((each) => each.kind === "OperationDefinition");
    return operation?.kind === "OperationDefinition" ? operation.operation : "query";
  } catch {
    return "";
  }
}
