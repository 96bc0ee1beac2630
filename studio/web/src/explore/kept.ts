// The open documents and the history, stored for this tab of the browser.

import { useEffect, useState } from "react";

export interface Document {
  id: string;
  query: string;
  variables: string;
  headers: string;
}

export interface Past {
  query: string;
  variables: string;
  at: number;
  as: string;
}

const OPEN = "portico-documents";
const MOST = 60;
const LONGEST = 20_000;

export function read<Value>(place: string, otherwise: Value): Value {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? "") as Value;
  } catch {
    return otherwise;
  }
}

export function write(place: string, value: unknown) {
  try {
    sessionStorage.setItem(place, JSON.stringify(value));
  } catch {
    // The browser's storage is full. The documents stay in the page's memory.
  }
}

let made = 0;
export const newDocument = (query = "", variables = ""): Document => ({ id: `${Date.now()}-${++made}`, query, variables, headers: "" });

interface Open {
  documents: Document[];
  chosen: string;
}

/** Let Explore show a document when it is opened next. */
export function showInExplore(query: string) {
  const document = newDocument(query);
  const { documents } = read<Open>(OPEN, { documents: [], chosen: "" });
  write(OPEN, { documents: [...documents, document], chosen: document.id });
}

export function useDocuments(first: Document) {
  const [stored] = useState(() => read<Open | null>(OPEN, null));
  const [state, setState] = useState<Open>(() => stored ?? { documents: [first], chosen: first.id });
  useEffect(() => write(OPEN, state), [state]);
  const current = state.documents.find((each) => each.id === state.chosen) ?? state.documents[0]!;
  return {
    /** Whether the visitor has not opened a document yet, and sees the first one. */
    isGreeting: !stored,
    documents: state.documents,
    current,
    choose: (id: string) => setState((old) => ({ ...old, chosen: id })),
    open: (document: Document) => setState((old) => ({ documents: [...old.documents, document], chosen: document.id })),
    change: (part: Partial<Document>) =>
      setState((old) => ({ ...old, documents: old.documents.map((each) => (each.id === current.id ? { ...each, ...part } : each)) })),
    close: (id: string) =>
      setState((old) => {
        const documents = old.documents.filter((each) => each.id !== id);
        if (!documents.length) documents.push(newDocument());
        return { documents, chosen: id === old.chosen ? documents.at(-1)!.id : old.chosen };
      }),
  };
}

export function useHistory(place = "portico-history") {
  const [past, setPast] = useState<Past[]>(() => read(place, []));
  useEffect(() => write(place, past), [past]);
  const remember = (entry: Past) => {
    if (entry.query.length > LONGEST) return;
    setPast((old) => [entry, ...old.filter((each) => each.query !== entry.query || each.variables !== entry.variables)].slice(0, MOST));
  };
  return { past, remember, clear: () => setPast([]) };
}

/** The name of a document: its operation's name, or else its first field. */
export function nameOf(query: string): string {
  const named = /(?:query|mutation|subscription)\s+(\w+)/.exec(query)?.[1];
  return named ?? /\{\s*(?:\w+\s*:\s*)?(\w+)/.exec(query)?.[1] ?? "New";
}
