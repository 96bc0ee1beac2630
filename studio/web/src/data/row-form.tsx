// The form of a row, for an insert or an update: each field with its requirement, its default and its errors.

import { useId, useState } from "react";
import { Failure, type GraphQLError } from "../http";
import { Refusal } from "../refusal";
import { FailureNotice } from "../ui/parts";
import { fieldsOf, type Facts } from "./facts";
import { ValueInput } from "./input";
import type { DataColumn } from "./model";
import { KeyPicker } from "./picker";
import type { Changed } from "./query";
import { valueOf } from "./values";

/** Texts by field. A field that is absent is not sent; null is the value null. */
export type Texts = Record<string, string | null>;

interface Given {
  columns: DataColumn[];
  facts: Facts;
  texts: Texts;
  change: (texts: Texts) => void;
  isInsert: boolean;
  button: string;
  close: () => void;
  send: (object: Record<string, unknown>) => Promise<Changed>;
  done: (changed: Changed) => void;
}

export function RowForm({ columns, facts, texts, change, isInsert, button, close, send, done }: Given) {
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [refused, setRefused] = useState<Pick<Changed, "errors" | "query"> | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const id = useId();
  const isRequired = (each: DataColumn) => isInsert && (facts.fields[each.name]?.required ?? each.required);
  const show = (found: Record<string, string>) => {
    setProblems(found);
    const first = columns.find((each) => each.name in found);
    if (first) document.getElementById(`${id}-${first.name}`)?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  };
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setRefused(null);
    setFailure(null);
    const { object, found } = read(columns, texts, isRequired);
    show(found);
    if (Object.keys(found).length) return;
    try {
      const changed = await send(object);
      if (!changed.errors.length) return done(changed);
      const { byField, others } = sorted(changed.errors, facts, columns);
      show(byField);
      setRefused({ errors: others, query: changed.query });
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(String(error)));
    }
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      {columns.map((each, index) => (
        <div key={each.name} id={`${id}-${each.name}`}>
          <Field
            column={each}
            facts={facts}
            isRequired={isRequired(each)}
            text={texts[each.name]}
            isInsert={isInsert}
            isFirst={index === 0}
            problem={problems[each.name]}
            change={(text) => {
              const next = { ...texts };
              if (text === undefined) delete next[each.name];
              else next[each.name] = text;
              change(next);
              const { [each.name]: _, ...others } = problems;
              setProblems(others);
            }}
          />
        </div>
      ))}
      {Object.keys(problems).length > 1 && (
        <p className="small tone-bad notice" role="alert">
          {Object.keys(problems).length} fields need a correction.
        </p>
      )}
      {failure && <FailureNotice failure={failure} />}
      {refused?.errors.map((each, index) => <Refusal key={index} error={each} query={refused.query} />)}
      <div className="row">
        <button className="primary">{button}</button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The values of the texts, and the problems of all fields. */
function read(columns: DataColumn[], texts: Texts, isRequired: (column: DataColumn) => boolean) {
  const object: Record<string, unknown> = {};
  const found: Record<string, string> = {};
  for (const each of columns) {
    const text = texts[each.name];
    if (text === undefined || text === null) {
      if (isRequired(each)) found[each.name] = `${each.name} is required.`;
      else if (text === null) object[each.name] = null;
      continue;
    }
    try {
      object[each.name] = valueOf(text, each, each.name);
    } catch (error) {
      found[each.name] = (error as Failure).message;
    }
  }
  return { object, found };
}

/** The messages of errors by field, and the errors that are about no field of the form. */
function sorted(errors: GraphQLError[], facts: Facts, columns: DataColumn[]) {
  const byField: Record<string, string> = {};
  const others: GraphQLError[] = [];
  for (const each of errors) {
    const fields = fieldsOf(each, facts).filter((name) => columns.some((one) => one.name === name));
    const message = [each.message.replace(/^Variable '\$\w+' has invalid value at [^:]*: /, ""), each.extensions?.detail].filter(Boolean).join(". ");
    for (const name of fields) byField[name] = message;
    if (!fields.length) others.push(each);
  }
  return { byField, others };
}

interface FieldGiven {
  column: DataColumn;
  facts: Facts;
  isRequired: boolean;
  isInsert: boolean;
  isFirst: boolean;
  text: string | null | undefined;
  problem: string | undefined;
  change: (text: string | null | undefined) => void;
}

function Field({ column, facts, isRequired, isInsert, isFirst, text, problem, change }: FieldGiven) {
  const id = useId();
  const fact = facts.fields[column.name];
  const otherwise = isInsert && !isRequired ? `default: ${fact?.default ?? "null"}` : "";
  // An empty field of an insert gets its default. A text or a list can be empty on purpose, which "empty" says.
  const type = (value: string) => change(value === "" && isInsert ? undefined : value);
  const shared = { label: column.name, value: text ?? "", change: type, describedBy: id, invalid: !!problem };
  return (
    <div className="field">
      <span className="row name">
        <strong>{column.name}</strong>
        {isRequired && <span className="badge warn">required</span>}
        <span className="muted">{column.isList ? `[${column.type}]` : column.type}</span>
        {fact && otherwise && <code className="muted ellipsis">{otherwise}</code>}
        <span className="grow" />
        {text === null ? <span className="badge">null</span> : (isInsert ? column.type === "String" : fact?.nullable !== false) && <Empty column={column} isInsert={isInsert} text={text} change={change} />}
      </span>
      {fact?.target && !column.isList ? <KeyPicker target={fact.target} {...shared} /> : <ValueInput autoFocus={isFirst} kind={column} {...shared} />}
      <small id={id}>
        {problem && (
          <span className="problem" role="alert">
            {problem}
          </span>
        )}
        {!problem && column.about && <span className="muted">{column.about}</span>}
      </small>
    </div>
  );
}

/** The buttons for the two values that cannot be typed: the empty text, and null. */
function Empty({ column, isInsert, text, change }: Pick<FieldGiven, "column" | "isInsert" | "text" | "change">) {
  if (!isInsert) {
    return (
      <button type="button" className="plain small" title={`Set ${column.name} to null`} onClick={() => change(null)}>
        Null
      </button>
    );
  }
  if (text === "") return <span className="badge">empty text</span>;
  return text === undefined ? (
    <button type="button" className="plain small" title={`Set ${column.name} to the empty text`} onClick={() => change("")}>
      Empty text
    </button>
  ) : null;
}
