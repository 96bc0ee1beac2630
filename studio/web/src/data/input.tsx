// The input for a value of a column, according to its type.

import { focusedFirst } from "../ui/parts";
import type { ValueKind } from "./model";

interface Given {
  kind: ValueKind;
  label: string;
  value: string;
  change: (value: string) => void;
  autoFocus?: boolean;
  describedBy?: string;
  invalid?: boolean;
}

const DATES: Record<string, string> = { Date: "date" };

export function ValueInput({ kind, label, value, change, autoFocus, describedBy, invalid }: Given) {
  const shared = { "aria-label": label, "aria-describedby": describedBy, "aria-invalid": invalid || undefined, value, autoFocus, ref: autoFocus ? focusedFirst : undefined, onChange: (event: { target: { value: string } }) => change(event.target.value) };
  if (kind.values) {
    return (
      <select {...shared}>
        {!kind.values.includes(value) && <option value={value}>{value || "Choose…"}</option>}
        {kind.values.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    );
  }
  if (value.length > 80 || value.includes("\n") || kind.type === "JSON") return <textarea {...shared} rows={4} dir="auto" />;
  return <input {...shared} dir="auto" type={kind.isList ? "text" : (DATES[kind.type] ?? "text")} inputMode={kind.type === "Int" || kind.type === "BigInt" ? "numeric" : undefined} placeholder={kind.isList ? `${kind.type}, separated by commas` : kind.type} />;
}
