// The rows of a table, page by page, and the operations on them.

import { useMemo, useState } from "react";
import type { GraphQLError } from "../http";
import { useLoading } from "../loading";
import { Refusal, Unreached } from "../refusal";
import { addressOf, follow, go, usePlace } from "../router";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { Blank, Notice, plural } from "../ui/parts";
import { ColumnChoice, shownAtFirst } from "./columns";
import { Deletion, NewRow } from "./dialogs";
import type { Facts } from "./facts";
import { Filters, type Condition } from "./filters";
import { Grid } from "./grid";
import type { DataColumn, Link, Table } from "./model";
import { OpenedRow } from "./opened";
import { document, page, PAGE, updateRow, variablesOf, type PageOf, type Sort, type Turn } from "./query";

type Row = Record<string, any>;

export function Rows({ table, facts }: { table: Table; facts: Facts }) {
  const caller = useCaller();
  const { query: place } = usePlace();
  const where = place.get("where") ?? "[]";
  const conditions = useMemo<Condition[]>(() => conditionsOf(where), [where]);
  const [sort, setSort] = useState<Sort | null>(null);
  const [turn, setTurn] = useState<Turn>({});
  const [shown, setShown] = useState(() => shownAtFirst(table, facts));
  const [chosen, setChosen] = useState(new Set<string>());
  const [open, setOpen] = useState<"new" | "delete" | Row | null>(null);
  const [outcome, setOutcome] = useState<{ message?: string; unreached?: boolean; errors?: GraphQLError[]; query?: string }>({});
  const text = useMemo(() => document(table, shown, facts), [table, shown, facts]);
  const rows = useLoading(
    async (signal) => page(text, variablesOf(table, conditions, sort, turn), caller, signal),
    [text, where, sort, turn, caller.id],
  );
  const filter = (next: Condition[]) => {
    setTurn({});
    setChosen(new Set());
    go(addressOf("data", [table.type], next.length ? { where: JSON.stringify(next) } : undefined));
  };
  const after = (message: string) => {
    setOpen(null);
    setChosen(new Set());
    setOutcome({ message });
    rows.again();
  };
  const save = async (row: Row, column: DataColumn, value: unknown) => {
    const changed = await updateRow(table, row["nodeId"], { [column.name]: value }, caller);
    if (changed.errors.length) setOutcome({ errors: changed.errors, query: changed.query });
    else if (!changed.count) setOutcome({ unreached: true });
    else {
      setOutcome({ message: `${column.name} was saved.` });
      rows.again();
    }
    return changed.count === 1;
  };
  const missing = [!table.insert && "insert", !table.update && "update", !table.remove && "delete"].filter(Boolean);
  return (
    <div className="rows">
      <div className="row tools-line">
        <h2 className="grow ellipsis">
          {table.type}{" "}
          {rows.value?.total !== undefined && <span className="muted small">{plural(rows.value.total, "row")}</span>}
        </h2>
        {chosen.size > 0 && table.remove && (
          <button className="danger" onClick={() => setOpen("delete")}>
            <Icon name="bin" /> Delete {chosen.size}
          </button>
        )}
        <ColumnChoice table={table} facts={facts} shown={shown} show={setShown} />
        <button onClick={rows.again} aria-label="Refresh" title="Refresh">
          <Icon name="again" />
        </button>
        <button className="primary" disabled={!table.insert} title={table.insert ? undefined : `${caller.role} may not insert here`} onClick={() => setOpen("new")}>
          <Icon name="plus" /> New row
        </button>
      </div>
      <Filters table={table} conditions={conditions} change={filter} />
      {missing.length > 0 && (
        <p className="small muted">
          <code>{caller.role}</code> may not {missing.join(", ").replace(/, (\w+)$/, " or $1")} rows here.{" "}
          <a href={addressOf("access")} onClick={follow}>
            Show who may
          </a>
        </p>
      )}
      {outcome.message && <Notice tone="good">{outcome.message}</Notice>}
      {outcome.unreached && <Unreached type={table.type} command="update" />}
      {outcome.errors?.map((each, index) => <Refusal key={index} error={each} query={outcome.query ?? ""} />)}
      <Loaded from={rows} what="rows">
        {(found) =>
          found.rows.length > 0 ? (
            <Grid
              table={table}
              facts={facts}
              rows={found.rows}
              shown={shown}
              sort={sort}
              sortBy={(next) => {
                setTurn({});
                setSort(next);
              }}
              chosen={chosen}
              choose={setChosen}
              open={setOpen}
              follow={followLink}
              save={save}
            />
          ) : (
            <Blank icon="data" title={conditions.length ? "No rows match the filter" : "No rows"}>
              {conditions.length ? "Remove a condition to see more rows." : "The table is empty, or policies hide its rows from this caller."}
            </Blank>
          )
        }
      </Loaded>
      {rows.value && <Pages cursors={rows.value.cursors} turn={turn} go={setTurn} />}
      {open === "new" && <NewRow table={table} facts={facts} done={after} close={() => setOpen(null)} />}
      {open === "delete" && (
        <Deletion table={table} ids={[...chosen]} done={(changed) => after(`Deleted ${changed.count} of ${plural(chosen.size, "row")}.`)} close={() => setOpen(null)} />
      )}
      {open && typeof open === "object" && (
        <OpenedRow
          table={table}
          facts={facts}
          row={open}
          follow={followLink}
          done={after}
          close={() => setOpen(null)}
          lead={(to, label) => go(addressOf("data", [to.type], { where: JSON.stringify([{ column: to.back, operator: "eq", value: open["nodeId"], label }]) }))}
        />
      )}
    </div>
  );
}

function followLink(link: Link, row: Row) {
  go(addressOf("data", [link.type], { where: JSON.stringify([{ column: "nodeId", operator: "eq", value: row["nodeId"], label: String(row[link.label]) }]) }));
}

function Pages({ cursors, turn, go }: { cursors: PageOf["cursors"]; turn: Turn; go: (turn: Turn) => void }) {
  const isFirst = !turn.after && !turn.before;
  if (isFirst && !cursors.next && !cursors.previous) return null;
  return (
    <nav className="row" aria-label="Pages">
      <button disabled={isFirst} onClick={() => go({})}>
        First
      </button>
      <button disabled={!cursors.previous} onClick={() => go({ before: cursors.start })}>
        <Icon name="left" /> Previous
      </button>
      <button disabled={!cursors.next} onClick={() => go({ after: cursors.end })}>
        Next <Icon name="right" />
      </button>
      <span className="muted small">up to {plural(PAGE, "row")} per page</span>
    </nav>
  );
}

function conditionsOf(text: string): Condition[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? (found as Condition[]) : [];
  } catch {
    return [];
  }
}
