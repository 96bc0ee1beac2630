// Runs a document, and holds the result of the last run.

import { parse } from "graphql";
import { useRef, useState } from "react";
import { Failure, run } from "../http";
import { useCaller } from "../session";
import type { Document, Past } from "./kept";
import type { Ran } from "./result";

type Text = Pick<Document, "query" | "variables" | "headers">;

/** Runs documents as the caller, one at a time: a new run stops the previous one. `trial` rolls the run back. */
export function useRunning(remember: (entry: Past) => void) {
  const caller = useCaller();
  const [ran, setRan] = useState<Ran | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController>(null);
  const execute = async ({ query, variables, headers }: Text, trial = false) => {
    control.current?.abort();
    const own = (control.current = new AbortController());
    setRunning(true);
    setFailure(null);
    try {
      const operation = { query, variables: objectOf(variables, "Variables"), ...(trial ? { extensions: { dryRun: true } } : {}) };
      const travelled = await run(operation, caller, objectOf(headers, "Headers") as Record<string, string>, own.signal);
      setRan({ operation: { query, variables: operation.variables }, travelled, isMutation: operationKind(query) === "mutation", tried: trial });
      remember({ query, variables, at: Date.now(), as: caller.name });
    } catch (error) {
      if (own.signal.aborted) return;
      setFailure(error instanceof Failure ? error : new Failure(String(error)));
    } finally {
      if (control.current === own) setRunning(false);
    }
  };
  return { ran, failure, isRunning, execute };
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

export function operationKind(text: string): "query" | "mutation" | "" {
  try {
    const operation = parse(text, { noLocation: true }).definitions.find((each) => each.kind === "OperationDefinition");
    return operation?.kind === "OperationDefinition" && operation.operation === "mutation" ? "mutation" : "query";
  } catch {
    return "";
  }
}
