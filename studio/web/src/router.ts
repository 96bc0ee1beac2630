// The router: addresses of the form /studio/VIEW/more?query, with the History API.

import { useSyncExternalStore } from "react";

const BASE = "/studio";
const moved = new Set<() => void>();

export interface Place {
  view: string;
  rest: string[];
  query: URLSearchParams;
}

window.addEventListener("popstate", () => moved.forEach((listener) => listener()));

function subscribe(listener: () => void) {
  moved.add(listener);
  return () => {
    moved.delete(listener);
  };
}

export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const url = new URL(address, location.origin);
  const [view = "", ...rest] = url.pathname.slice(BASE.length).split("/").filter(Boolean).map(decodeURIComponent);
  return { view, rest, query: url.searchParams };
}

export function addressOf(view: string, rest: string[] = [], query?: Record<string, string>): string {
  const search = query && Object.keys(query).length ? `?${new URLSearchParams(query)}` : "";
  return [BASE, view, ...rest.map(encodeURIComponent)].join("/") + search;
}

export function go(address: string, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  moved.forEach((listener) => listener());
}

/** Follow a link without loading the page, unless the visitor wants a new tab. */
export function follow(event: React.MouseEvent<HTMLAnchorElement>) {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(event.currentTarget.getAttribute("href")!);
}
