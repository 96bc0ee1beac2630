// The dialogs of the view Data: a new row, the deletion of rows, and a single row.

import { useState } from "react";
import type { GraphQLError } from "../http";
import { Failure } from "../http";
import { Refusal } from "../refusal";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { count, Dialog, FailureNotice, focusedFirst, plural } from "../ui/parts";
import { save } from "../ui/save";
import { ValueInput } from "./input";
import { labelAmong, type Table, type ToMany } from "./model";
import { deleteRows, insertRow, type Changed } from "./query";
import { editedText, valueOf } from "./values";

/** A browser takes seconds to lay out longer values. */
const LONGEST_WHOLE = 20_000;

type Refused = { errors: GraphQLError[]; query: string } | null;

function Refusals({ refused, failure }: { refused: Refused; failure: Failure | null }) {
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      {refused?.errors.map((each, index) => <Refusal key={index} error={each} query={refused.query} />)}
    </>
  );
}

export function NewRow({ table, done, close }: { table: Table; done: (message: string) => void; close: () => void }) {
  const caller = useCaller();
  const [given, setGiven] = useState<Record<string, string>>({});
  const [refused, setRefused] = useState<Refused>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const insert = async (event: React.FormEvent) => {
    event.preventDefault();
    setRefused(null);
    setFailure(null);
    try {
      const object: Record<string, unknown> = {};
      for (const each of table.insert!.columns) {
        const text = given[each.name];
        if (text !== undefined && text !== "") object[each.name] = valueOf(text, each, each.name);
      }
      const changed = await insertRow(table, object, caller);
      if (changed.errors.length) return setRefused(changed);
      done("A row was inserted.");
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(String(error)));
    }
  };
  return (
    <Dialog title={`New row in ${table.type}`} close={close} side>
      <p className="muted small">Columns that you leave empty get their default.</p>
      <form className="stack" onSubmit={insert}>
        {table.insert!.columns.map((each, index) => (
          <label key={each.name} className="field">
            <span>
              {each.name} <span className="muted">{each.isList ? `[${each.type}]` : each.type}</span>
            </span>
            <ValueInput autoFocus={index === 0} kind={each} label={each.name} value={given[each.name] ?? ""} change={(value) => setGiven({ ...given, [each.name]: value })} />
            {each.about && <small>{each.about}</small>}
          </label>
        ))}
        <Refusals refused={refused} failure={failure} />
        <div className="row">
          <button className="primary">Insert</button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function Deletion({ table, ids, done, close }: { table: Table; ids: string[]; done: (changed: Changed) => void; close: () => void }) {
  const caller = useCaller();
  const [refused, setRefused] = useState<Refused>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const remove = async () => {
    try {
      const changed = await deleteRows(table, ids, caller);
      if (changed.errors.length) return setRefused(changed);
      done(changed);
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <Dialog title={`Delete ${plural(ids.length, "row")} of ${table.type}?`} close={close}>
      <p>
        This deletes them permanently, as <strong>{caller.name}</strong>. The request has <code>atMost: {ids.length}</code>: if more rows match, none are deleted.
      </p>
      <Refusals refused={refused} failure={failure} />
      <div className="row">
        <button className="danger" onClick={() => void remove()}>
          <Icon name="bin" /> Delete {plural(ids.length, "row")}
        </button>
        <button ref={focusedFirst} onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

export function WholeRow({ table, row, lead, close }: { table: Table; row: Record<string, any>; lead: (to: ToMany, label: string) => void; close: () => void }) {
  const name = labelAmong(table.columns);
  const label = name ? editedText(row[name]) : "this row";
  return (
    <Dialog title={`${table.type} ${label}`} close={close} side>
      <dl className="whole">
        {table.columns
          .filter((each) => each.name in row)
          .map((each) => (
            <div key={each.name}>
              <dt className="small muted">
                {each.name} · {each.isList ? `[${each.type}]` : each.type}
              </dt>
              <Whole name={each.name} value={row[each.name]} />
            </div>
          ))}
      </dl>
      {table.toMany.length > 0 && table.hasId && (
        <>
          <h3>Related rows</h3>
          <ul className="side-list">
            {table.toMany.map((each) => (
              <li key={each.name}>
                <button disabled={!each.back} onClick={() => lead(each, label)} title={each.back ? undefined : "The API has no filter that selects these related rows"}>
                  <Icon name="link" /> {each.name}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function Whole({ name, value }: { name: string; value: unknown }) {
  if (value === null) return <dd className="null">null</dd>;
  const text = editedText(value);
  return (
    <>
      <dd dir="auto">{text.slice(0, LONGEST_WHOLE)}</dd>
      {text.length > LONGEST_WHOLE && (
        <dd className="row small">
          <span className="muted">The first {count.format(LONGEST_WHOLE)} of {count.format(text.length)} characters.</span>
          <button onClick={() => save(`${name}.txt`, text, "text/plain")}>
            <Icon name="down" /> All of {name}
          </button>
        </dd>
      )}
    </>
  );
}
