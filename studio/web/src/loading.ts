// Loads a value, and loads it again when its dependencies change or the service is back.

import { useCallback, useEffect, useRef, useState } from "react";
import { Failure } from "./http";

export interface Loading<Value> {
  value: Value | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
  again: () => void;
}

export function useLoading<Value>(load: (signal: AbortSignal) => Promise<Value>, on: readonly unknown[]): Loading<Value> {
  const [state, setState] = useState<{ value?: Value; failure?: Failure; isLoading: boolean }>({ isLoading: true });
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const control = new AbortController();
    let timer: number | undefined;
    setState((old) => ({ value: old.value, isLoading: true }));
    latest.current(control.signal).then(
      (value) => control.signal.aborted || setState({ value, isLoading: false }),
      (error: unknown) => {
        if (control.signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(String(error));
        setState((old) => ({ value: failure.offline ? old.value : undefined, failure, isLoading: false }));
        if (failure.offline) timer = window.setTimeout(() => setAttempt((n) => n + 1), 3000);
      },
    );
    return () => {
      control.abort();
      window.clearTimeout(timer);
    };
  }, [...on, attempt]);
  const again = useCallback(() => setAttempt((n) => n + 1), []);
  return { value: state.value, failure: state.failure, isLoading: state.isLoading, again };
}
