// Rows as a table. Columns can be widened and hidden; cells are links or can be edited.

import { flexRender, getCoreRowModel, useReactTable, type ColumnDef, type VisibilityState } from "@tanstack/react-table";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../ui/icons";
import { CellEditor } from "./cell";
import { linkOfKey, type Facts } from "./facts";
import type { DataColumn, Link, Table } from "./model";
import type { Sort } from "./query";
import { editedText, shownValue } from "./values";

type Row = Record<string, any>;

/** Browsers take minutes to lay out an input of megabytes. */
const LONGEST_EDITED = 50_000;

interface Given {
  table: Table;
  facts: Facts;
  rows: Row[];
  shown: string[];
  sort: Sort | null;
  sortBy: (sort: Sort | null) => void;
  chosen: Set<string>;
  choose: (chosen: Set<string>) => void;
  open: (row: Row) => void;
  follow: (link: Link, row: Row) => void;
  save: (row: Row, column: DataColumn, value: unknown) => Promise<boolean>;
}

export function Grid(given: Given) {
  const { table, facts, rows, shown, sort, sortBy, chosen, choose, open } = given;
  const canChoose = table.hasId && !!table.remove;
  const columns = useMemo<ColumnDef<Row>[]>(
    () => [
      ...table.columns.filter((each) => shown.includes(each.name)).map((each): ColumnDef<Row> => ({ id: each.name, accessorKey: each.name, header: each.name, size: widthOf(each, rows, linkOfKey(each.name, table, facts)), meta: each })),
      ...table.toOne.filter((each) => shown.includes(each.name)).map((each): ColumnDef<Row> => ({ id: each.name, accessorKey: each.name, header: each.name, size: widthOf(each, rows, each), meta: each })),
    ],
    // The first rows decide, so that a column keeps its width on the next page.
    [table, shown, facts],
  );
  const [visibility, setVisibility] = useState<VisibilityState>({});
  const model = useReactTable({
    data: rows,
    columns,
    getCoreRowModel: getCoreRowModel(),
    columnResizeMode: "onChange",
    state: { columnVisibility: visibility },
    onColumnVisibilityChange: setVisibility,
    getRowId: (row, index) => row["nodeId"] ?? String(index),
  });
  const all = rows.length > 0 && rows.every((each) => chosen.has(each["nodeId"]));
  return (
    <div className="scroller grid more-beyond" tabIndex={0} role="region" aria-label="Rows">
      <table style={{ width: model.getTotalSize() + 76 }}>
        <caption className="visually-hidden">Rows of {table.type}</caption>
        <thead>
          <tr>
            <th className="tools" scope="col">
              {canChoose ? (
                <input type="checkbox" aria-label="Select all rows of this page" checked={all} onChange={() => choose(new Set(all ? [] : rows.map((each) => each["nodeId"])))} />
              ) : (
                <span className="visually-hidden">Row</span>
              )}
            </th>
            {model.getFlatHeaders().map((header) => {
              const isSorted = sort?.column === header.id;
              return (
                <th key={header.id} scope="col" style={{ width: header.getSize() }} aria-sort={isSorted ? (sort.down ? "descending" : "ascending") : undefined}>
                  {table.sortable.has(header.id) ? (
                    <button className="plain" onClick={() => sortBy(!isSorted ? { column: header.id, down: false } : sort.down ? null : { column: header.id, down: true })}>
                      <span className="ellipsis">{header.id}</span>
                      <span aria-hidden="true">{isSorted ? (sort.down ? "↓" : "↑") : ""}</span>
                    </button>
                  ) : (
                    <span className="ellipsis">{header.id}</span>
                  )}
                  <span className="grip" aria-hidden="true" onMouseDown={header.getResizeHandler()} onTouchStart={header.getResizeHandler()} />
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {model.getRowModel().rows.map((row) => (
            <tr key={row.id} className={chosen.has(row.id) ? "chosen" : ""}>
              <td className="tools">
                {canChoose && (
                  <input
                    type="checkbox"
                    aria-label={`Select row ${row.index + 1}`}
                    checked={chosen.has(row.id)}
                    onChange={() => {
                      const next = new Set(chosen);
                      if (!next.delete(row.id)) next.add(row.id);
                      choose(next);
                    }}
                  />
                )}
                <button className="plain" aria-label={`Open row ${row.index + 1}`} onClick={() => open(row.original)}>
                  <Icon name="right" />
                </button>
              </td>
              {row.getVisibleCells().map((cell) => (
                <Cell key={cell.id} {...given} row={row.original} column={cell.column.columnDef.meta as DataColumn | Link}>
                  {flexRender(shownValue(cell.getValue()), cell.getContext())}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const CHARACTER = 8;
const NARROWEST = 84;
const WIDEST = 340;

/** The width that fits the name of a column and its values, with that of the related row, in pixels. */
function widthOf(column: DataColumn | Link, rows: Row[], link: Link | undefined): number {
  const lengths = rows.map((row) => {
    const own = "label" in column ? 0 : Math.max(4, shownValue(row[column.name]).length);
    return own + (link ? shownValue(row[link.name]?.[link.label]).length + (own ? 3 : 0) : 0);
  });
  const longest = Math.max(column.name.length + 2, ...lengths);
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, longest * CHARACTER + 28)));
}

function Cell({ table, facts, row, column, follow, save, children }: Given & { row: Row; column: DataColumn | Link; children: React.ReactNode }) {
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useLayoutEffect(() => {
    if (wasEditing.current && !editing) button.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const value = row[column.name];
  if ("label" in column) {
    return (
      <td>
        {value ? (
          <button className="link ellipsis" onClick={() => follow(column, value)}>
            <bdi>{shownValue(value[column.label]) || "row"}</bdi>
          </button>
        ) : (
          <span className="muted">none</span>
        )}
      </td>
    );
  }
  const isLong = editedText(value).length > LONGEST_EDITED;
  const editable = table.hasId && !!table.update?.columns.has(column.name) && !isLong;
  if (editing) return <CellEditor column={column} value={value} save={(next) => save(row, column, next)} close={() => setEditing(false)} />;
  const shown = value === null || value === undefined ? <span className="null">null</span> : <bdi className="ellipsis" title={shownValue(value).length * CHARACTER > WIDEST / 2 ? shownValue(value) : undefined}>{children}</bdi>;
  const link = linkOfKey(column.name, table, facts);
  const target = link && row[link.name];
  const content = editable ? (
    <button ref={button} className="value" onClick={() => setEditing(true)} aria-label={`Edit ${column.name}: ${shownValue(value) || (value === null ? "null" : "empty")}`}>
      {shown}
    </button>
  ) : (
    shown
  );
  return (
    <td className={editable ? "editable" : "fixed"} title={isLong ? "Too long to edit here" : undefined}>
      {target ? (
        <div className="key">
          {content}
          <button className="link ellipsis" onClick={() => follow(link, target)} title={`Open this row of ${link.type}`}>
            <bdi>{shownValue(target[link.label]) || "row"}</bdi>
          </button>
        </div>
      ) : (
        content
      )}
    </td>
  );
}
