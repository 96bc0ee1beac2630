// A single row: all its values, which can be edited, and its related rows.

import { useState } from "react";
import { data } from "../http";
import { useLoading } from "../loading";
import { Unreached } from "../refusal";
import { useCaller } from "../session";
import { Icon } from "../ui/icons";
import { count, Dialog, Waiting } from "../ui/parts";
import { save } from "../ui/save";
import { linkOfKey, type Facts } from "./facts";
import { labelAmong, type Link, type Table, type ToMany } from "./model";
import { updateRow } from "./query";
import { RowForm, type Texts } from "./row-form";
import { editedText, shownValue } from "./values";

/** A browser takes seconds to lay out longer values. */
const LONGEST_WHOLE = 20_000;
const FIRST = 5;

type Row = Record<string, any>;

interface Given {
  table: Table;
  facts: Facts;
  row: Row;
  lead: (to: ToMany, label: string) => void;
  follow: (link: Link, row: Row) => void;
  done: (message: string) => void;
  close: () => void;
}

export function OpenedRow({ table, facts, row, lead, follow, done, close }: Given) {
  const [isEditing, setEditing] = useState(false);
  const name = labelAmong(table.columns);
  const label = name ? shownValue(row[name]) || "this row" : "this row";
  return (
    <Dialog title={`${table.type} ${label}`} close={close} side>
      {isEditing ? (
        <Editing table={table} facts={facts} row={row} done={done} close={() => setEditing(false)} />
      ) : (
        <>
          {table.hasId && table.update && (
            <div className="row">
              <button onClick={() => setEditing(true)}>
                <Icon name="edit" /> Edit
              </button>
            </div>
          )}
          <dl className="whole">
            {table.columns
              .filter((each) => each.name in row)
              .map((each) => (
                <div key={each.name}>
                  <dt className="small muted">
                    {each.name} · {each.isList ? `[${each.type}]` : each.type}
                  </dt>
                  <Whole name={each.name} value={row[each.name]} link={linkOfKey(each.name, table, facts)} row={row} follow={follow} />
                </div>
              ))}
          </dl>
          {table.toMany.length > 0 && table.hasId && <RelatedRows table={table} row={row} label={label} lead={lead} follow={follow} />}
        </>
      )}
    </Dialog>
  );
}

function Editing({ table, facts, row, done, close }: Pick<Given, "table" | "facts" | "row" | "done" | "close">) {
  const caller = useCaller();
  const [texts, setTexts] = useState<Texts>({});
  const [unreached, setUnreached] = useState(false);
  const columns = table.columns.filter((each) => table.update!.columns.has(each.name) && each.name in row && editedText(row[each.name]).length <= LONGEST_WHOLE);
  const before: Texts = Object.fromEntries(columns.map((each) => [each.name, row[each.name] === null ? null : editedText(row[each.name])]));
  // Only what differs is sent, so that an update needs no right on other columns.
  const change = (next: Texts) => setTexts(Object.fromEntries(Object.entries(next).filter(([name, text]) => text !== before[name])));
  const send = async (object: Row) => {
    const changed = Object.fromEntries(Object.entries(object).filter(([name]) => name in texts));
    return Object.keys(changed).length ? updateRow(table, row["nodeId"], changed, caller) : { count: 1, errors: [], query: "" };
  };
  return (
    <>
      {unreached && <Unreached type={table.type} command="update" />}
      <RowForm columns={columns} facts={facts} texts={{ ...before, ...texts }} change={change} isInsert={false} button="Save" close={close} send={send} done={(changed) => (changed.count ? done("The row was saved.") : setUnreached(true))} />
    </>
  );
}

function RelatedRows({ table, row, label, lead, follow }: { table: Table; row: Row; label: string } & Pick<Given, "lead" | "follow">) {
  const caller = useCaller();
  const related = useLoading(async (signal) => {
    const fields = table.toMany.map((each) => `${each.name}(first: ${FIRST}) { pageInfo { hasNextPage } edges { node { nodeId${each.label === "nodeId" ? "" : ` ${each.label}`} } } }`);
    const query = `query ($filter: ${table.filterType}) { rows: ${table.field}(first: 1, filter: $filter) { edges { node { ${fields.join(" ")} } } } }`;
    const { rows } = await data({ query, variables: { filter: { nodeId: { eq: row["nodeId"] } } } }, caller, signal);
    return (rows.edges[0]?.node ?? {}) as Record<string, { pageInfo: { hasNextPage: boolean }; edges: { node: Row }[] }>;
  }, [row["nodeId"], caller.id]);
  return (
    <section className="stack" aria-label="Related rows">
      <h3>Related rows</h3>
      {related.isLoading && <Waiting what="related rows" />}
      {table.toMany.map((each) => {
        const found = related.value?.[each.name];
        return (
          <div key={each.name}>
            <button className="plain" disabled={!each.back} onClick={() => lead(each, label)} title={each.back ? undefined : "The API has no filter that selects these related rows"}>
              <Icon name="link" /> {each.name}
            </button>
            <ul className="related">
              {found?.edges.map(({ node }) => (
                <li key={node["nodeId"]}>
                  <button className="link ellipsis" onClick={() => follow({ name: each.name, type: each.type, label: each.label }, node)}>
                    <bdi>{shownValue(node[each.label]) || "row"}</bdi>
                  </button>
                </li>
              ))}
              {found && !found.edges.length && <li className="muted small">none</li>}
              {found?.pageInfo.hasNextPage && <li className="muted small">and more</li>}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

function Whole({ name, value, link, row, follow }: { name: string; value: unknown; link: Link | undefined; row: Row } & Pick<Given, "follow">) {
  if (value === null) return <dd className="null">null</dd>;
  const text = editedText(value);
  const target = link && row[link.name];
  return (
    <>
      <dd dir="auto">
        {text.slice(0, LONGEST_WHOLE)}
        {target && (
          <>
            {" "}
            <button className="link" onClick={() => follow(link, target)}>
              <bdi>{shownValue(target[link.label]) || "row"}</bdi>
            </button>
          </>
        )}
      </dd>
      {text.length > LONGEST_WHOLE && (
        <dd className="row small">
          <span className="muted">
            The first {count.format(LONGEST_WHOLE)} of {count.format(text.length)} characters.
          </span>
          <button onClick={() => save(`${name}.txt`, text, "text/plain")}>
            <Icon name="down" /> All of {name}
          </button>
        </dd>
      )}
    </>
  );
}
