// The frame of a form that makes a statement: its fields, the statement, and a button that runs it.

import { useState, type ReactNode } from "react";
import { Dialog, Notice, Sql } from "../ui/parts";
import { RunStatement } from "./proposal";

interface Given {
  title: string;
  close: () => void;
  /** The statement; empty as long as `missing` says what is missing. */
  text: string;
  missing: string;
  done: string;
  edit?: (text: string) => void;
  children: ReactNode;
}

export function StatementForm({ title, close, text, missing, done, edit, children }: Given) {
  const [ran, setRan] = useState("");
  return (
    <Dialog title={title} close={close} side>
      {/* The statement depends on the schema, which it changes, so the text that ran is kept. */}
      <form className="stack" onSubmit={(event) => event.preventDefault()} onChange={() => setRan("")}>
        {children}
      </form>
      <h3>The SQL</h3>
      {missing && !ran ? <p className="muted">{missing}</p> : <Sql text={ran || text} />}
      {ran ? (
        <>
          <Notice tone="good">{done}</Notice>
          <div className="row">
            <button className="primary" onClick={close}>
              Done
            </button>
          </div>
        </>
      ) : (
        <RunStatement text={text} disabled={!!missing} done={() => setRan(text)} edit={edit} />
      )}
    </Dialog>
  );
}

export function Choice({ label, value, options, change }: { label: string; value: string; options: [string, string][]; change: (value: string) => void }) {
  return (
    <label className="field grow">
      <span>{label}</span>
      <select value={value} onChange={(event) => change(event.target.value)}>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Text({ label, value, change, hint, list, first }: { label: string; value: string; change: (value: string) => void; hint?: string; list?: string; first?: (node: HTMLElement | null) => void }) {
  return (
    <label className="field grow">
      <span>{label}</span>
      <input ref={first} value={value} list={list} spellCheck={false} autoComplete="off" placeholder={hint} onChange={(event) => change(event.target.value)} />
    </label>
  );
}
