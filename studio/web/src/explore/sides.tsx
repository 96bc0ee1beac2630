// The panels beside the document: examples, documentation and history.

import { useState } from "react";
import type { Collection } from "../schemas";
import { Icon, type IconName } from "../ui/icons";
import { plural } from "../ui/parts";
import { nameOf, type Past } from "./kept";

export type Side = "examples" | "docs" | "history" | "";
export const SIDES: { id: Side; label: string; icon: IconName }[] = [
  { id: "examples", label: "Examples", icon: "book" },
  { id: "docs", label: "Documentation", icon: "search" },
  { id: "history", label: "History", icon: "history" },
];

/** The buttons that open and close the panels. */
export function Rail({ side, open }: { side: Side; open: (side: Side) => void }) {
  return (
    <div className="rail" role="toolbar" aria-label="Panels" aria-orientation="vertical">
      {SIDES.map((each) => (
        <button key={each.id} className="plain" aria-pressed={side === each.id} aria-label={each.label} title={each.label} onClick={() => open(side === each.id ? "" : each.id)}>
          <Icon name={each.icon} />
        </button>
      ))}
    </div>
  );
}

const MOST = 300;

export function Examples({ items, take }: { items: Collection[]; take: (collection: Collection) => void }) {
  const [search, setSearch] = useState("");
  const found = items.filter((each) => each.type.toLowerCase().includes(search.toLowerCase()));
  return (
    <div className="stack">
      <h2>Examples</h2>
      {items.length > 12 && <input type="search" aria-label="Search examples" placeholder={`Search ${plural(items.length, "table")}`} value={search} onChange={(event) => setSearch(event.target.value)} />}
      {!items.length && <p className="muted">This caller sees no tables. Choose another caller, or grant it privileges.</p>}
      <ul className="side-list">
        {found.slice(0, MOST).map((each) => (
          <li key={each.field}>
            <button onClick={() => take(each)}>
              <Icon name="play" />
              <span className="ellipsis">{each.type}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > MOST && <p className="muted small">and {plural(found.length - MOST, "more table")}; search for them</p>}
    </div>
  );
}

interface History {
  past: Past[];
  take: (query: string, variables: string) => void;
  clear: () => void;
  what?: string;
  name?: (query: string) => string;
}

export function HistoryList({ past, take, clear, what = "Documents", name = nameOf }: History) {
  if (!past.length) return <p className="muted">{what} that you run are listed here until this tab is closed.</p>;
  return (
    <div className="stack">
      <div className="row">
        <h2 className="grow">History</h2>
        <button className="plain small" onClick={clear}>
          Clear
        </button>
      </div>
      <ul className="side-list">
        {past.map((each) => (
          <li key={each.at}>
            <button onClick={() => take(each.query, each.variables)}>
              <span className="grow">
                <span className="ellipsis">{name(each.query)}</span>
                <span className="small muted">
                  as {each.as}, {new Date(each.at).toLocaleTimeString()}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
