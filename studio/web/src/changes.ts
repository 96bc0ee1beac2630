// Announces that the database's schema has changed, so that what was derived from the earlier one is loaded again.

import { useEffect } from "react";

const listeners = new Set<() => void>();

/** Call `listener` after each change. The caches of modules listen first, since they begin before any view. */
export function onSchemaChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function announceSchemaChange() {
  listeners.forEach((listener) => listener());
}

export function useSchemaChange(listener: () => void) {
  useEffect(() => onSchemaChange(listener), [listener]);
}
