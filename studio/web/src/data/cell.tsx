// The editor of a cell: Enter saves, Escape cancels.

import { useCallback, useState } from "react";
import type { Failure } from "../http";
import { ValueInput } from "./input";
import type { DataColumn } from "./model";
import { editedText, valueOf } from "./values";

interface Given {
  column: DataColumn;
  value: unknown;
  save: (value: unknown) => Promise<boolean>;
  close: () => void;
}

export function CellEditor({ column, value, save, close }: Given) {
  const [text, setText] = useState(editedText(value));
  const [problem, setProblem] = useState("");
  const [isSaving, setSaving] = useState(false);
  const keep = async (next: () => unknown) => {
    setProblem("");
    try {
      const given = next();
      setSaving(true);
      await save(given);
      close();
    } catch (error) {
      setProblem((error as Failure).message);
      setSaving(false);
    }
  };
  // The editor may extend beyond the table, so it is scrolled into view.
  const form = useCallback((node: HTMLFormElement | null) => node?.scrollIntoView({ block: "nearest", inline: "nearest" }), []);
  return (
    <td className="editing">
      <form
        ref={form}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void keep(() => valueOf(text, column, column.name));
        }}
      >
        <ValueInput kind={column} label={`New value of ${column.name}`} value={text} change={setText} autoFocus />
        <div className="row">
          <button className="primary" disabled={isSaving}>
            Save
          </button>
          <button type="button" disabled={isSaving} onClick={() => void keep(() => null)}>
            Null
          </button>
          <button type="button" className="plain" onClick={close}>
            Cancel
          </button>
        </div>
        {problem && (
          <p className="small tone-bad notice" role="alert">
            {problem}
          </p>
        )}
      </form>
    </td>
  );
}
