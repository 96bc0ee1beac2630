// The fields of a column: its name, type, default, and whether it may be null.

import { useId } from "react";
import { Text } from "./form";
import { TYPES, type NewColumn } from "./statements";

export function ColumnFields({ column, change, first }: { column: NewColumn; change: (column: NewColumn) => void; first?: (node: HTMLElement | null) => void }) {
  const types = useId();
  return (
    <>
      <div className="row">
        <Text label="Column" value={column.name} change={(name) => change({ ...column, name })} first={first} />
        <Text label="Type" value={column.type} list={types} change={(type) => change({ ...column, type })} />
        <datalist id={types}>
          {TYPES.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </div>
      <div className="row">
        <Text label="Default, an expression of SQL" value={column.otherwise} hint="none" change={(otherwise) => change({ ...column, otherwise })} />
        <label className="row">
          <input type="checkbox" checked={column.required} onChange={() => change({ ...column, required: !column.required })} />
          not null
        </label>
      </div>
    </>
  );
}
