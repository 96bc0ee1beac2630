// The form of a further column of a table.

import { useState } from "react";
import type { Catalog, Relation } from "../catalog";
import { focusedFirst } from "../ui/parts";
import { ColumnFields } from "./column-fields";
import { Choice, StatementForm } from "./form";
import { addColumn, type NewColumn } from "./statements";

export function NewColumnForm({ relation, catalog, close }: { relation: Relation; catalog: Catalog; close: () => void }) {
  const [column, setColumn] = useState<NewColumn>({ name: "", type: "text", required: false, otherwise: "" });
  const [to, setTo] = useState("");
  const [withIndex, setWithIndex] = useState(true);
  const targets = catalog.relations.filter((each) => keyOf(each));
  const references = targets.find((each) => `${each.schema}.${each.name}` === to);
  const refer = (name: string) => {
    const target = targets.find((each) => `${each.schema}.${each.name}` === name);
    setTo(name);
    if (target) setColumn({ ...column, type: keyOf(target)!, name: column.name || `${target.name}_id` });
  };
  return (
    <StatementForm
      title={`New column of ${relation.name}`}
      close={close}
      missing={column.name && column.type ? "" : "The column needs a name and a type."}
      text={addColumn(relation, { ...column, references }, withIndex)}
      done={`The table has the column ${column.name}.`}
    >
      <ColumnFields column={column} change={setColumn} first={focusedFirst} />
      <Choice label="Refers to" value={to} options={[["", "no other table"], ...targets.map((each): [string, string] => [`${each.schema}.${each.name}`, each.name])]} change={refer} />
      {references && (
        <label className="row">
          <input type="checkbox" checked={withIndex} onChange={() => setWithIndex(!withIndex)} />
          With an index, which lists and filters of related rows need
        </label>
      )}
      {column.required && !column.otherwise && relation.rows !== 0 && <p className="small muted">If the table has rows, a column that may not be null needs a default.</p>}
    </StatementForm>
  );
}

/** The type of a table's key, if it is one column. */
function keyOf(relation: Relation): string | undefined {
  const columns = relation.keys.find((each) => each.type === "p")?.columns;
  return columns?.length === 1 ? relation.columns.find((each) => each.name === columns[0])?.type : undefined;
}
