// A table's page: columns, keys, policies, comment directives, and the GraphQL type that each role gets.

import { useState } from "react";
import { PolicyCard } from "../access/policy";
import { COMMANDS, KINDS, type Catalog, type Relation } from "../catalog";
import { ask } from "../http";
import { useLoading } from "../loading";
import { addressOf, follow } from "../router";
import { useSession } from "../session";
import { NewColumnForm } from "../sql/new-column";
import { NewPolicyForm } from "../sql/new-policy";
import { Icon } from "../ui/icons";
import { FailureNotice, Notice, plural, Sql, Waiting } from "../ui/parts";

interface RelationDetails {
  types: Record<string, string | null>;
  directives: Record<string, unknown>;
  notices: { what: string; why: string; fix: string }[];
}

export function RelationPage({ relation, catalog }: { relation: Relation; catalog: Catalog }) {
  const { serviceKey, session } = useSession();
  const [form, setForm] = useState<"" | "column" | "policy">("");
  const changeable = session?.canRunSql && (relation.kind === "r" || relation.kind === "p");
  const details = useLoading(() => ask<RelationDetails>(`relations/${relation.oid}`, serviceKey), [relation.oid, serviceKey]);
  const name = `${relation.schema}.${relation.name}`;
  const typeName = /^type (\w+)/m.exec(details.value?.types["service_role"] ?? "")?.[1];
  return (
    <article className="padded relation">
      <header className="row">
        <h2>{name}</h2>
        <span className="badge">{KINDS[relation.kind]}</span>
        {relation.rowSecurity ? <span className="badge good">row level security</span> : relation.kind === "r" && <span className="badge warn">no row level security</span>}
        {relation.rows >= 0 && <span className="small muted">about {plural(relation.rows, "row")}</span>}
        <span className="grow" />
        {changeable && (
          <button onClick={() => setForm("column")}>
            <Icon name="plus" /> New column
          </button>
        )}
        {typeName && (
          <a className="button" href={addressOf("data", [typeName])} onClick={follow}>
            Show rows
          </a>
        )}
      </header>
      {relation.comment && <p className="muted">{relation.comment.replace(/@graphql\(\{.*?\}\)/s, "").trim()}</p>}
      {details.value?.notices.map((each) => (
        <Notice key={each.what + each.why} tone="warn" title={`${each.what} is not in the API, or not as its comment says`}>
          <p>{each.why}</p>
          {each.fix && <p>{each.fix}</p>}
        </Notice>
      ))}
      <section aria-label="Columns" className="scroller" tabIndex={0}>
        <table>
          <caption className="visually-hidden">Columns of {name}</caption>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Type</th>
              <th scope="col">Default</th>
            </tr>
          </thead>
          <tbody>
            {relation.columns.map((each) => (
              <tr key={each.name}>
                <th scope="row">{each.name}</th>
                <td>
                  <code>{each.type}</code> {each.notNull && <span className="badge">not null</span>}
                </td>
                <td className="muted">{each.identity ? "identity" : each.generated ? <code>generated: {each.default}</code> : <code>{each.default}</code>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Keys relation={relation} catalog={catalog} />
      <section aria-label="Policies" className="stack">
        <div className="row">
          <h3 className="grow">Policies</h3>
          {changeable && (
            <button onClick={() => setForm("policy")}>
              <Icon name="plus" /> New policy
            </button>
          )}
        </div>
        {relation.policies.map((each) => (
          <PolicyCard key={each.name} policy={each} />
        ))}
        {!relation.policies.length && <NoPolicy relation={relation} />}
        <Roles relation={relation} catalog={catalog} name={name} />
      </section>
      {relation.definition && (
        <section aria-label="Definition">
          <h3>Definition</h3>
          <Sql text={relation.definition} what="the view's definition" />
        </section>
      )}
      <section aria-label="In the API" className="stack">
        <h3>In the API</h3>
        {details.failure && <FailureNotice failure={details.failure} again={details.again} />}
        {!details.value && details.isLoading && <Waiting what="the types" />}
        {details.value && <Directives directives={details.value.directives} />}
        {details.value && (
          <div className="types">
            {Object.entries(details.value.types).map(([role, text]) => (
              <div key={role}>
                <h3>
                  <code>{role}</code>
                </h3>
                {text ? (
                  <pre className="sql" tabIndex={0} aria-label={`Type of ${role}`}>
                    {text}
                  </pre>
                ) : (
                  <p className="muted">not in this role's schema</p>
                )}
              </div>
            ))}
          </div>
        )}
      </section>
      {form === "column" && <NewColumnForm relation={relation} catalog={catalog} close={() => setForm("")} />}
      {form === "policy" && <NewPolicyForm relation={relation} catalog={catalog} close={() => setForm("")} />}
    </article>
  );
}

function NoPolicy({ relation }: { relation: Relation }) {
  if (relation.kind === "v") {
    return (
      <p className="muted">
        {relation.invoker ? "The view reads with the rights of the caller, so the policies of its tables apply." : `The view reads with the rights of its owner, ${relation.owner}: policies of its tables do not apply to the caller.`}
      </p>
    );
  }
  return <p className="muted">{relation.rowSecurity ? "None, and row level security is on: a role sees no row unless it bypasses policies." : "None: a privilege applies to all rows."}</p>;
}

function Roles({ relation, catalog, name }: { relation: Relation; catalog: Catalog; name: string }) {
  return (
    <ul className="row">
      {catalog.roles.map((role) => (
        <li key={role.name}>
          <a href={addressOf("access", [], { table: name, role: role.name, command: "select" })} onClick={follow}>
            {role.name}
          </a>
          <span className="muted small">
            {" "}
            {COMMANDS.map((each) => `${each} ${relation.access[role.name]?.[each].rows === "policy" ? "by policy" : relation.access[role.name]?.[each].rows}`).join(", ")}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Keys({ relation, catalog }: { relation: Relation; catalog: Catalog }) {
  const back = catalog.relations.flatMap((each) => each.keys.filter((key) => key.type === "f" && key.to === relation.oid).map((key) => ({ key, from: each })));
  const linked = (each: Relation) => (
    <a href={addressOf("schema", [`${each.schema}.${each.name}`])} onClick={follow}>
      {each.name}
    </a>
  );
  return (
    <section aria-label="Keys" className="stack">
      <h3>Keys</h3>
      <ul className="stack">
        {relation.keys.map((each) => {
          const target = catalog.relations.find((one) => one.oid === each.to);
          return (
            <li key={each.name}>
              <code>{each.definition}</code> {target && <>→ {linked(target)}</>}
            </li>
          );
        })}
        {back.map(({ key, from }) => (
          <li key={`${from.oid} ${key.name}`} className="muted">
            {linked(from)} refers to it by <code>{key.columns?.join(", ")}</code>
          </li>
        ))}
      </ul>
      {!relation.keys.length && !back.length && <p className="muted">None in the database. The API has its rows only if a comment names key columns: see Directives in the documentation.</p>}
    </section>
  );
}

const EFFECTS: Record<string, string> = {
  name: "name in the API",
  description: "description in the API",
  totalCount: "callers may count the rows",
  aggregate: "callers may aggregate the rows",
  primary_key_columns: "used as the primary key",
  foreign_keys: "relationships without a foreign key in the database",
  max_rows: "most rows of a page",
};

function Directives({ directives }: { directives: Record<string, unknown> }) {
  const entries = Object.entries(directives).filter(([, value]) => value !== false && value !== null);
  if (!entries.length) return null;
  return (
    <ul className="stack" aria-label="Comment directives">
      {entries.map(([name, value]) => (
        <li key={name}>
          <code>
            {name}: {JSON.stringify(value)}
          </code>{" "}
          <span className="muted small">{EFFECTS[name] ?? ""}</span>
        </li>
      ))}
    </ul>
  );
}
