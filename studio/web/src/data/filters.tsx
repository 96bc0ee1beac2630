// The filter builder. All conditions must hold. The columns, the operators and their descriptions are those of the caller's
// filter type.

import { useState } from "react";
import { Icon } from "../ui/icons";
import { ValueInput } from "./input";
import type { Table } from "./model";

export interface Condition {
  column: string;
  operator: string;
  value: string;
  /** The label for a value that is an id. */
  label?: string;
}

export function Filters({ table, conditions, change }: { table: Table; conditions: Condition[]; change: (conditions: Condition[]) => void }) {
  const [adding, setAdding] = useState(false);
  if (!Object.keys(table.operators).length) return null;
  return (
    <div className="row filters">
      {conditions.map((each, index) => (
        <span key={index} className="chip">
          <span className="ellipsis" title={table.operators[each.column]?.find(({ name }) => name === each.operator)?.about}>
            {each.column} {each.operator} <strong>{each.label ?? each.value}</strong>
          </span>
          <button className="plain" aria-label={`Remove the condition on ${each.column}`} onClick={() => change(conditions.filter((_, at) => at !== index))}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      {adding ? (
        <NewCondition
          table={table}
          add={(condition) => {
            change([...conditions, condition]);
            setAdding(false);
          }}
          cancel={() => setAdding(false)}
        />
      ) : (
        <button className="plain" onClick={() => setAdding(true)}>
          <Icon name="filter" /> Filter
        </button>
      )}
    </div>
  );
}

function NewCondition({ table, add, cancel }: { table: Table; add: (condition: Condition) => void; cancel: () => void }) {
  const columns = Object.keys(table.operators);
  const [column, setColumn] = useState(columns[0]!);
  const operators = table.operators[column]!;
  const [operator, setOperator] = useState("eq");
  const chosen = operators.find((each) => each.name === operator) ?? operators[0]!;
  const [value, setValue] = useState("");
  const given = chosen.kind.values && !chosen.kind.values.includes(value) ? chosen.kind.values[0]! : value;
  return (
    <form
      className="row"
      onKeyDown={(event) => event.key === "Escape" && cancel()}
      onSubmit={(event) => {
        event.preventDefault();
        add({ column, operator: chosen.name, value: given });
      }}
    >
      <select autoFocus aria-label="Column" value={column} onChange={(event) => setColumn(event.target.value)}>
        {columns.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <select className="operator" aria-label="Operator" title={chosen.about} value={chosen.name} onChange={(event) => setOperator(event.target.value)}>
        {operators.map((each) => (
          <option key={each.name} value={each.name}>
            {each.about ? `${each.name}: ${each.about}` : each.name}
          </option>
        ))}
      </select>
      <ValueInput kind={chosen.kind} label="Value" value={given} change={setValue} />
      <button className="primary">Add</button>
      <button type="button" className="plain" onClick={cancel}>
        Cancel
      </button>
    </form>
  );
}
