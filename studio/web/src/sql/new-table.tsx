// The form of a new table.

import { useState } from "react";
import { useCatalog } from "../catalog";
import { Icon } from "../ui/icons";
import { focusedFirst } from "../ui/parts";
import { ColumnFields } from "./column-fields";
import { Choice, StatementForm, Text } from "./form";
import { createTable, OWNER, type Access, type NewColumn } from "./statements";

const ACCESS: [Access, string][] = [
  ["own", "each signed-in user: own rows"],
  ["read", "everyone: read all rows"],
  ["none", "only service_role, until there is a policy"],
];
const BLANK: NewColumn = { name: "", type: "text", required: false, otherwise: "" };

export function NewTable({ close, edit }: { close: () => void; edit?: (text: string) => void }) {
  const catalog = useCatalog();
  const schemas = [...new Set(["public", ...(catalog.value?.relations ?? []).map((each) => each.schema)])];
  const [schema, setSchema] = useState("public");
  const [name, setName] = useState("");
  const [key, setKey] = useState<"bigint" | "uuid">("bigint");
  const [access, setAccess] = useState<Access>("own");
  const [columns, setColumns] = useState<NewColumn[]>([{ ...BLANK, required: true }]);
  const named = columns.filter((each) => each.name && each.type);
  const change = (index: number, column: NewColumn) => setColumns(columns.map((each, at) => (at === index ? column : each)));
  return (
    <StatementForm
      title="New table"
      close={close}
      edit={edit}
      missing={name ? "" : "The table needs a name."}
      text={createTable({ schema, name }, key, named, access)}
      done={`The table ${name} exists. Its rows are in the view Data.`}
    >
      <div className="row">
        <Text label="Table" value={name} change={setName} first={focusedFirst} />
        {schemas.length > 1 && <Choice label="Schema" value={schema} options={schemas.map((each) => [each, each])} change={setSchema} />}
      </div>
      <Choice
        label="Key"
        value={key}
        options={[
          ["bigint", "id: a number, counted up"],
          ["uuid", "id: a random UUID"],
        ]}
        change={(value) => setKey(value as "bigint")}
      />
      <Choice label="Access" value={access} options={ACCESS} change={(value) => setAccess(value as Access)} />
      {access === "own" && (
        <p className="small muted">
          The column <code>{OWNER.name}</code> has the id of the user who inserts a row.
        </p>
      )}
      {columns.map((each, index) => (
        <fieldset key={index} className="card stack" aria-label={`Column ${index + 1}`}>
          <ColumnFields column={each} change={(next) => change(index, next)} />
          <div className="row">
            <button type="button" className="plain small" onClick={() => setColumns(columns.filter((_, at) => at !== index))}>
              <Icon name="bin" /> Remove this column
            </button>
          </div>
        </fieldset>
      ))}
      <div className="row">
        <button type="button" onClick={() => setColumns([...columns, BLANK])}>
          <Icon name="plus" /> Another column
        </button>
      </div>
    </StatementForm>
  );
}
