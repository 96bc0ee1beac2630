// The session: the service's settings, the callers and the keys. Keys are stored only in this tab, in sessionStorage.

import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { ask, Failure, type Credentials } from "./http";

export interface Session {
  development: boolean;
  canSign: boolean;
  /** Whether sign-in for development is served, and answers this page. */
  signIn: boolean;
  canRunSql: boolean;
  keys: { anon: string | null; service: string | null } | null;
  roles: string[];
  dialect: string;
  uploadSizeLimit: number;
}

export interface Caller extends Credentials {
  id: string;
  name: string;
  role: string;
  kind: "anonymous" | "service" | "token" | "made-up";
  claims?: Record<string, unknown>;
}

interface StoredState {
  anonKey?: string;
  serviceKey?: string;
  callers: Caller[];
  chosen?: string;
}

interface Known {
  session: Session | null;
  failure: Failure | null;
  anonKey: string;
  serviceKey: string;
  callers: Caller[];
  caller: Caller | null;
  choose: (id: string) => void;
  add: (caller: Caller) => void;
  remove: (id: string) => void;
  giveKey: (kind: "anonKey" | "serviceKey", key: string) => void;
  retry: () => void;
}

const Context = createContext<Known | null>(null);
const PLACE = "portico-studio";

function stored(): StoredState {
  try {
    return { callers: [], ...JSON.parse(sessionStorage.getItem(PLACE) ?? "{}") };
  } catch {
    return { callers: [] };
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [state, setState] = useState<StoredState>(stored);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let timer: number | undefined;
    ask<Session>("session").then(
      (found) => {
        setSession(found);
        setFailure(null);
      },
      (error: Failure) => {
        setFailure(error);
        timer = window.setTimeout(() => setAttempt((n) => n + 1), 3000);
      },
    );
    return () => window.clearTimeout(timer);
  }, [attempt]);

  const change = useCallback((how: (old: StoredState) => StoredState) => {
    setState((old) => {
      const next = how(old);
      sessionStorage.setItem(PLACE, JSON.stringify(next));
      return next;
    });
  }, []);

  const value = useMemo<Known>(() => {
    const anonKey = session?.keys?.anon ?? state.anonKey ?? "";
    const serviceKey = session?.keys?.service ?? state.serviceKey ?? "";
    const callers: Caller[] = [];
    if (anonKey) callers.push({ id: "anon", name: "Anonymous", role: "anon", kind: "anonymous", apiKey: anonKey });
    if (serviceKey) callers.push({ id: "service", name: "Service", role: "service_role", kind: "service", apiKey: serviceKey });
    callers.push(...state.callers);
    return {
      session,
      failure,
      anonKey,
      serviceKey,
      callers,
      caller: callers.find((each) => each.id === state.chosen) ?? callers[0] ?? null,
      choose: (id) => change((old) => ({ ...old, chosen: id })),
      add: (caller) => change((old) => ({ ...old, chosen: caller.id, callers: [...old.callers.filter((c) => c.id !== caller.id), caller] })),
      remove: (id) => change((old) => ({ ...old, chosen: undefined, callers: old.callers.filter((c) => c.id !== id) })),
      giveKey: (kind, key) => change((old) => ({ ...old, [kind]: key.trim() })),
      retry: () => setAttempt((n) => n + 1),
    };
  }, [session, failure, state, change]);

  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export function useSession(): Known {
  const known = useContext(Context);
  if (!known) throw new Error("outside of SessionProvider");
  return known;
}

/** The caller of all requests. Views are drawn only if there is one. */
export function useCaller(): Caller {
  const { caller } = useSession();
  if (!caller) throw new Error("no caller");
  return caller;
}

/** The claims of a token, as far as they can be read; the service verifies it. */
export function claimsOf(token: string): Record<string, unknown> {
  const part = token.split(".")[1];
  if (!part) throw new Failure("This is not a JSON Web Token: it does not have three parts with dots between them.");
  try {
    const bytes = Uint8Array.from(atob(part.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Failure("This is not a JSON Web Token: its claims cannot be read.");
  }
}

/** Whether the token of a caller has expired. A key that is not a token does not expire. */
export function hasExpired({ token, apiKey }: Credentials): boolean {
  try {
    const { exp } = claimsOf(token ?? apiKey);
    return typeof exp === "number" && exp * 1000 <= Date.now();
  } catch {
    return false;
  }
}
