// The choice of visible columns. Initially they are those that fit a request and a screen.

import { useState } from "react";
import { Dialog, plural } from "../ui/parts";
import { linkOfKey, type Facts } from "./facts";
import type { Table } from "./model";

const AT_FIRST = 24;

/** Relationships that a key's cell shows have no column of their own at first. */
export function shownAtFirst(table: Table, facts: Facts): string[] {
  const columns = table.columns.map((each) => each.name).slice(0, AT_FIRST);
  const inCells = columns.map((each) => linkOfKey(each, table, facts)?.name);
  return [...columns, ...table.toOne.map((each) => each.name).filter((each) => !inCells.includes(each)).slice(0, 8)];
}

export function ColumnChoice({ table, facts, shown, show }: { table: Table; facts: Facts; shown: string[]; show: (names: string[]) => void }) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const all = [...table.columns, ...table.toOne].map((each) => each.name);
  const found = all.filter((each) => each.toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      <button onClick={() => setOpen(true)}>
        Columns {shown.length < all.length && <span className="badge">{`${shown.length} of ${all.length}`}</span>}
      </button>
      {open && (
        <Dialog title={`Columns of ${table.type}`} close={() => setOpen(false)}>
          {all.length > 12 && <input type="search" aria-label="Search columns" placeholder={`Search ${plural(all.length, "column")}`} value={search} onChange={(event) => setSearch(event.target.value)} />}
          <ul className="choices">
            {found.map((each) => (
              <li key={each}>
                <label className="row">
                  <input type="checkbox" checked={shown.includes(each)} onChange={() => show(shown.includes(each) ? shown.filter((one) => one !== each) : all.filter((one) => one === each || shown.includes(one)))} />
                  {each}
                </label>
              </li>
            ))}
          </ul>
          <div className="row">
            <button onClick={() => show(shownAtFirst(table, facts))}>Reset</button>
            <button className="primary" onClick={() => setOpen(false)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
