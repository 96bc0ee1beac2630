// Icons. Each is a path on a grid of 24 by 24, drawn as a line.

const PATHS = {
  explore: "M4 17l6-5-6-5M12 19h8",
  data: "M4 5h16v14H4zM4 10h16M4 15h16M10 5v14",
  schema: "M4 4h6v5H4zM14 15h6v5h-6zM4 15h6v5H4zM7 9v6M10 17h4",
  access: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  users: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21a7 7 0 0 1 14 0M16 3.5a4 4 0 0 1 0 7M22 21a7 7 0 0 0-5-6.6",
  service: "M3 12h4l3-8 4 16 3-8h4",
  sql: "M5 6c0-3 14-3 14 0v12c0 3-14 3-14 0zM5 6c0 3 14 3 14 0M5 12c0 3 14 3 14 0",
  storage: "M4 7l8-4 8 4v10l-8 4-8-4zM4 7l8 4 8-4M12 11v10",
  play: "M7 4l13 8-13 8z",
  live: "M12 12h.01M8 8a6 6 0 0 0 0 8M16 8a6 6 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  key: "M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 12l9-9M16 7l3 3",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  filter: "M4 5h16l-6 8v6l-4-2v-4z",
  warn: "M12 4l9 16H3zM12 10v5M12 17.5v.01",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4",
  link: "M9 15l6-6M8 11l-2 2a4 4 0 0 0 5 5l2-2M16 13l2-2a4 4 0 0 0-5-5l-2 2",
  down: "M12 4v12M6 11l6 6 6-6M5 20h14",
  again: "M20 11a8 8 0 1 0-2 6M20 5v6h-6",
  history: "M4 12a8 8 0 1 0 3-6M4 4v4h4M12 8v5l3 2",
  book: "M5 4h6a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H5zM13 6a2 2 0 0 1 2-2h4v14h-4a2 2 0 0 0-2 2",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Arch() {
  return (
    <svg viewBox="0 0 32 32" fill="currentColor" aria-hidden="true">
      <path d="M3 5h26v4H3zm2 6h22v18h-5V20a6 6 0 0 0-12 0v9H5z" />
    </svg>
  );
}
