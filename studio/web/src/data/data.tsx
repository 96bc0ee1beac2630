// Data: each collection as a table, through the public API as the chosen caller.

import { useEffect, useMemo, useState } from "react";
import type { GraphQLSchema } from "graphql";
import type { GraphQLError } from "../http";
import { useLoading } from "../loading";
import { Refusal, Unreached } from "../refusal";
import { addressOf, follow, go, usePlace } from "../router";
import { useSchema } from "../schemas";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Blank, count, FailureNotice, Notice, Waiting } from "../ui/parts";
import { ColumnChoice, shownAtFirst } from "./columns";
import { Deletion, NewRow, WholeRow } from "./dialogs";
import { Filters, type Condition } from "./filters";
import { Grid } from "./grid";
import { tableOf, tablesOf, type Table } from "./model";
import { document, page, PAGE, updateRow, variablesOf, type Sort, type Turn } from "./query";
import "../styles/access.css";
import "../styles/data.css";

export default function Data() {
  const schema = useSchema();
  const { rest } = usePlace();
  if (!schema.value) {
    if (schema.failure) return <div className="padded"><FailureNotice failure={schema.failure} again={schema.again} /></div>;
    return <Waiting what="the schema" />;
  }
  return <Tables schema={schema.value} chosen={rest[0]} />;
}

function Tables({ schema, chosen }: { schema: GraphQLSchema; chosen?: string }) {
  const tables = useMemo(() => tablesOf(schema), [schema]);
  const caller = useCaller();
  const [search, setSearch] = useState("");
  const table = useMemo(() => (chosen ? tableOf(schema, chosen) : undefined), [schema, chosen]);
  useEffect(() => {
    if (!chosen && tables.length) go(addressOf("data", [(tables.find((each) => each.type === "City") ?? tables[0]!).type]), true);
  }, [chosen, tables]);
  if (!tables.length) {
    return (
      <Blank icon="data" title={`${caller.name} sees no table`}>
        Nothing is granted to the role {caller.role}. “Who sees what” shows what is, and the statement that would change it.
      </Blank>
    );
  }
  const found = tables.filter((each) => each.type.toLowerCase().includes(search.toLowerCase()));
  return (
    <div className="split">
      <aside aria-label="Tables">
        <select className="only-narrow" aria-label="Table" value={chosen} onChange={(event) => go(addressOf("data", [event.target.value]))}>
          {tables.map((each) => (
            <option key={each.type}>{each.type}</option>
          ))}
        </select>
        <div className="only-wide stack">
          {tables.length > 12 && <input type="search" aria-label="Search tables" placeholder="Search" value={search} onChange={(event) => setSearch(event.target.value)} />}
          <ul className="side-list">
            {found.slice(0, 500).map((each) => (
              <li key={each.type}>
                <a href={addressOf("data", [each.type])} onClick={follow} aria-current={each.type === chosen ? "page" : undefined}>
                  <span className="ellipsis">{each.type}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      </aside>
      <div className="grow">
        {table ? (
          <Rows key={table.type} table={table} />
        ) : (
          chosen && (
            <Blank icon="lock" title={`${caller.name} does not see ${chosen}`}>
              Choose another caller above, or another table.
            </Blank>
          )
        )}
      </div>
    </div>
  );
}

function Rows({ table }: { table: Table }) {
  const caller = useCaller();
  const { query: place } = usePlace();
  const where = place.get("where") ?? "[]";
  const conditions = useMemo<Condition[]>(() => conditionsOf(where), [where]);
  const [sort, setSort] = useState<Sort | null>(null);
  const [turn, setTurn] = useState<Turn>({});
  const [shown, setShown] = useState(() => shownAtFirst(table));
  const [chosen, setChosen] = useState(new Set<string>());
  const [open, setOpen] = useState<"new" | "delete" | Record<string, any> | null>(null);
  const [told, setTold] = useState<{ message?: string; unreached?: boolean; errors?: GraphQLError[]; query?: string }>({});
  const text = useMemo(() => document(table, shown), [table, shown]);
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
    setTold({ message });
    rows.again();
  };
  const missing = [!table.insert && "insert", !table.update && "update", !table.remove && "delete"].filter(Boolean);
  return (
    <div className="rows">
      <div className="row tools-line">
        <h2 className="grow ellipsis">
          {table.type}{" "}
          {rows.value?.total !== undefined && <span className="muted small">{count.format(rows.value.total)} rows</span>}
        </h2>
        {chosen.size > 0 && table.remove && (
          <button className="danger" onClick={() => setOpen("delete")}>
            <Icon name="bin" /> Delete {chosen.size}
          </button>
        )}
        <ColumnChoice table={table} shown={shown} show={setShown} />
        <button onClick={rows.again} aria-label="Read again">
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
            Who may
          </a>
        </p>
      )}
      {told.message && <Notice tone="good">{told.message}</Notice>}
      {told.unreached && <Unreached type={table.type} command="update" />}
      {told.errors?.map((each, index) => <Refusal key={index} error={each} query={told.query ?? ""} />)}
      {rows.failure && <FailureNotice failure={rows.failure} again={rows.again} />}
      {!rows.value && rows.isLoading && <Waiting what="rows" />}
      {rows.value && rows.value.rows.length === 0 && (
        <Blank icon="data" title={conditions.length ? "No row meets the filter" : "No row to see"}>
          {conditions.length ? "Remove a condition to see more." : "The table is empty, or policies hide its rows from this caller."}
        </Blank>
      )}
      {rows.value && rows.value.rows.length > 0 && (
        <Grid
          table={table}
          rows={rows.value.rows}
          shown={shown}
          sort={sort}
          sortBy={(next) => {
            setTurn({});
            setSort(next);
          }}
          chosen={chosen}
          choose={setChosen}
          open={setOpen}
          follow={(link, row) => go(addressOf("data", [link.type], { where: JSON.stringify([{ column: "nodeId", operator: "eq", value: row["nodeId"], label: String(row[link.label]) }]) }))}
          save={async (row, column, value) => {
            const changed = await updateRow(table, row["nodeId"], { [column.name]: value }, caller);
            if (changed.errors.length) setTold({ errors: changed.errors, query: changed.query });
            else if (!changed.count) setTold({ unreached: true });
            else {
              setTold({ message: `${column.name} was saved.` });
              rows.again();
            }
            return changed.count === 1;
          }}
        />
      )}
      {rows.value && (rows.value.cursors.next || rows.value.cursors.previous || turn.after || turn.before) && (
        <nav className="row" aria-label="Pages">
          <button disabled={!turn.after && !turn.before} onClick={() => setTurn({})}>
            First
          </button>
          <button disabled={!rows.value.cursors.previous} onClick={() => setTurn({ before: rows.value!.cursors.start })}>
            <Icon name="left" /> Previous
          </button>
          <button disabled={!rows.value.cursors.next} onClick={() => setTurn({ after: rows.value!.cursors.end })}>
            Next <Icon name="right" />
          </button>
          <span className="muted small">up to {PAGE} rows a page</span>
        </nav>
      )}
      {open === "new" && <NewRow table={table} done={after} close={() => setOpen(null)} />}
      {open === "delete" && (
        <Deletion table={table} ids={[...chosen]} done={(changed) => after(`${changed.count} of ${chosen.size} rows were deleted.`)} close={() => setOpen(null)} />
      )}
      {open && typeof open === "object" && (
        <WholeRow
          table={table}
          row={open}
          close={() => setOpen(null)}
          lead={(to, label) => go(addressOf("data", [to.type], { where: JSON.stringify([{ column: to.back, operator: "of", value: open["nodeId"], label }]) }))}
        />
      )}
    </div>
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
