// The input for a foreign key: a search for the row by its name, or the key itself.

import { useId, useState } from "react";
import { data } from "../http";
import { useLoading } from "../loading";
import { schemasOf } from "../schemas";
import { useCaller } from "../session";
import type { Target } from "./facts";
import { labelAmong, tableOf, type Table } from "./model";
import { editedText, shownValue } from "./values";

const MOST = 10;

interface Given {
  target: Target;
  label: string;
  value: string;
  change: (value: string) => void;
  describedBy?: string;
  invalid?: boolean;
}

interface Choice {
  key: string;
  label: string;
}

export function KeyPicker({ target, label, value, change, describedBy, invalid }: Given) {
  const caller = useCaller();
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const list = useId();
  const { value: found, isLoading } = useLoading<Choice[]>(async (signal) => (open ? search(await tableOf(schemasOf(caller), target.type), target, value, caller, signal) : []), [open, value, caller.id]);
  const choices = found ?? [];
  const take = (choice: Choice) => {
    setChosen(choice);
    change(choice.key);
    setOpen(false);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setOpen(true);
      setAt(Math.max(0, Math.min(choices.length - 1, at + step)));
    } else if (event.key === "Enter" && open && choices[at]) {
      event.preventDefault();
      take(choices[at]);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div className="picker">
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={list}
        aria-activedescendant={open && choices[at] ? `${list}-${at}` : undefined}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        autoComplete="off"
        dir="auto"
        value={value}
        placeholder={`Search ${target.type}`}
        onChange={(event) => {
          change(event.target.value);
          setAt(-1);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {chosen?.key === value && !open && <span className="small muted">{chosen.label}</span>}
      {open && (
        <ul role="listbox" id={list} aria-label={`Rows of ${target.type}`} className="options">
          {choices.map((each, index) => (
            // The press must not take the focus from the input, which would close the list before the click.
            <li key={each.key} role="option" id={`${list}-${index}`} aria-selected={index === at} onMouseDown={(event) => event.preventDefault()} onClick={() => take(each)}>
              <bdi className="ellipsis">{each.label}</bdi>
              {each.label !== each.key && <code className="muted">{each.key}</code>}
            </li>
          ))}
          {!choices.length && <li className="muted small">{isLoading ? "Searching…" : "No row matches."}</li>}
        </ul>
      )}
    </div>
  );
}

/** The first rows whose name contains the text, or whose key it is. */
async function search(table: Table | undefined, target: Target, text: string, by: ReturnType<typeof useCaller>, signal: AbortSignal): Promise<Choice[]> {
  if (!table) return [];
  const name = labelAmong(table.columns) ?? target.field;
  const filter = text ? filterOf(table, name, target.field, text) : undefined;
  if (text && !filter) return [];
  const order = table.sortable.has(name) ? `, orderBy: [{ ${name}: AscNullsLast }]` : "";
  const query = `query ${table.filterType ? `($filter: ${table.filterType})` : ""} {
  rows: ${table.field}(first: ${MOST}${table.filterType ? ", filter: $filter" : ""}${order}) { edges { node { key: ${target.field} label: ${name} } } }
}`;
  const { rows } = await data({ query, variables: { filter } }, by, signal);
  return rows.edges.map(({ node }: { node: Record<string, unknown> }) => ({ key: editedText(node["key"]), label: shownValue(node["label"]) || "without a name" }));
}

function filterOf(table: Table, name: string, key: string, text: string): Record<string, unknown> | undefined {
  const byName = table.operators[name]?.some((each) => each.name === "ilike") ? [{ [name]: { ilike: `%${text.replace(/[\\%_]/g, "\\$&")}%` } }] : [];
  const kind = table.operators[key]?.find((each) => each.name === "eq")?.kind;
  const isKey = kind && (kind.type === "Int" ? /^-?\d{1,9}$/ : kind.type === "BigInt" ? /^-?\d+$/ : kind.type === "UUID" ? /^[0-9a-f-]{36}$/i : /^/).test(text);
  const byKey = isKey ? [{ [key]: { eq: kind.type === "Int" ? Number(text) : text } }] : [];
  const all = [...byName, ...byKey];
  return all.length > 1 ? { or: all } : all[0];
}
