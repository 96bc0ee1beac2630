// The dialogs of the view Data for a new row and for the deletion of rows.

import { useState } from "react";
import type { Failure, GraphQLError } from "../http";
import { Refusal } from "../refusal";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { Dialog, FailureNotice, focusedFirst, plural } from "../ui/parts";
import type { Facts } from "./facts";
import type { Table } from "./model";
import { deleteRows, insertRow, type Changed } from "./query";
import { RowForm, type Texts } from "./row-form";

export function NewRow({ table, facts, done, close }: { table: Table; facts: Facts; done: (message: string) => void; close: () => void }) {
  const caller = useCaller();
  const [texts, setTexts] = useState<Texts>({});
  const { columns } = table.insert!;
  return (
    <Dialog title={`New row in ${table.type}`} close={close} side>
      <p className="muted small">Fields that you leave empty get their default.</p>
      <RowForm columns={columns} facts={facts} texts={texts} change={setTexts} isInsert button="Insert" close={close} send={(object) => insertRow(table, object, caller)} done={() => done("A row was inserted.")} />
    </Dialog>
  );
}

export function Deletion({ table, ids, done, close }: { table: Table; ids: string[]; done: (changed: Changed) => void; close: () => void }) {
  const caller = useCaller();
  const [refused, setRefused] = useState<{ errors: GraphQLError[]; query: string } | null>(null);
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
      {failure && <FailureNotice failure={failure} />}
      {refused?.errors.map((each, index) => <Refusal key={index} error={each} query={refused.query} />)}
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
