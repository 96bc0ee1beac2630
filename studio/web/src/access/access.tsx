// The view Access: a table of roles and relations with the access of each role. A click shows the reason.

import { Fragment, useDeferredValue, useMemo, useState } from "react";
import { COMMANDS, KINDS, useCatalog, type Catalog, type Command, type Relation } from "../catalog";
import { addressOf, follow, go, usePlace } from "../router";
import { Icon } from "../ui/icons";
import { Loaded } from "../ui/loaded";
import { useSession } from "../session";
import { NewPolicyForm } from "../sql/new-policy";
import { Proposal } from "../sql/proposal";
import { Blank, Dialog, plural } from "../ui/parts";
import { Findings, forgetFindings } from "./findings";
import { PolicyCard } from "./policy";
import { Steps } from "./steps";
import "../styles/access.css";

const ROWS = { all: "all rows", policy: "rows that policies allow", none: "no rows" };
const AT_ONCE = 60;

export default function Access() {
  const catalog = useCatalog();
  const [reading, setReading] = useState(0);
  const again = () => {
    forgetFindings();
    setReading(reading + 1);
    catalog.again();
  };
  return (
    <Loaded from={catalog} what="the catalog">
      {(value) => (
        <div className="padded">
          <Findings key={reading} />
          <Matrix catalog={value} again={again} />
        </div>
      )}
    </Loaded>
  );
}

function Matrix({ catalog, again }: { catalog: Catalog; again: () => void }) {
  const { query } = usePlace();
  const chosen = query.get("table");
  const [search, setSearch] = useState("");
  const [only, setOnly] = useState("");
  const [most, setMost] = useState(AT_ONCE);
  const wanted = useDeferredValue(search.toLowerCase());
  const found = useMemo(
    () => catalog.relations.filter((each) => `${each.schema}.${each.name}`.toLowerCase().includes(wanted) && isAbout(each, only)),
    [catalog, wanted, only],
  );
  const relation = catalog.relations.find((each) => `${each.schema}.${each.name}` === chosen);
  const role = query.get("role") ?? "";
  const command = (query.get("command") ?? "select") as Command;
  const close = () => go(addressOf("access"), true);
  if (!catalog.relations.length) return <Blank icon="access" title="No table is in the API's schemas">API_SCHEMAS names the schemas. Create a table there, and it appears here.</Blank>;
  return (
    <>
      <div className="row">
        <input type="search" className="grow find" aria-label="Search tables" placeholder="Search tables" value={search} onChange={(event) => setSearch(event.target.value)} />
        <select aria-label="Filter tables" value={only} onChange={(event) => setOnly(event.target.value)}>
          <option value="">All tables and views</option>
          <option value="open">Writable by anon without policies</option>
          <option value="off">Without row level security</option>
          <option value="policies">With policies</option>
          <option value="hidden">Visible only to service_role</option>
        </select>
        <button onClick={again}>
          <Icon name="again" /> Refresh
        </button>
      </div>
      <ul className="row legend small" aria-label="Legend">
        <li>
          <span className="cell all">S</span> all rows
        </li>
        <li>
          <span className="cell policy">S</span> rows that policies allow
        </li>
        <li>
          <span className="cell none">S</span> no rows
        </li>
        <li className="muted">S select, I insert, U update, D delete; * some columns</li>
      </ul>
      <div className="scroller" tabIndex={0} role="region" aria-label="Roles and tables">
        <table className="matrix">
          <caption className="visually-hidden">Access of each role to the rows of each table</caption>
          <thead>
            <tr>
              <th scope="col">{plural(found.length, "table")}</th>
              {catalog.roles.map((each) => (
                <th key={each.name} scope="col">
                  <code>{each.name}</code>
                  {each.bypasses && <span className="badge warn">bypasses policies</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, most).map((each) => (
              <tr key={each.oid}>
                <th scope="row">
                  <a href={addressOf("schema", [`${each.schema}.${each.name}`])} onClick={follow}>
                    <Breakable name={each.name} />
                  </a>
                  <span className="small muted">
                    {each.kind !== "r" && ` ${KINDS[each.kind]}`}
                    {each.rowSecurity && " policies"}
                  </span>
                  {each.rowSecurity && <Icon name="lock" />}
                </th>
                {catalog.roles.map((one) => (
                  <td key={one.name}>
                    <div className="cells">
                      {COMMANDS.map((what) => (
                        <Cell key={what} relation={each} role={one.name} command={what} />
                      ))}
                    </div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > most && (
        <button onClick={() => setMost(most + 5 * AT_ONCE)}>
          Show more of {plural(found.length, "table")}
        </button>
      )}
      {!found.length && <Blank icon="search" title="No matching table">Change the search or the filter above.</Blank>}
      {relation?.access[role] && <Explained catalog={catalog} relation={relation} role={role} command={command} close={close} />}
    </>
  );
}

function isAbout(relation: Relation, only: string): boolean {
  const rows = (role: string, command: Command) => relation.access[role]?.[command].rows ?? "none";
  if (only === "open") return (["insert", "update", "delete"] as Command[]).some((each) => rows("anon", each) === "all");
  if (only === "off") return !relation.rowSecurity && (relation.kind === "r" || relation.kind === "p");
  if (only === "policies") return relation.policies.length > 0;
  if (only === "hidden") return Object.keys(relation.access).every((role) => role === "service_role" || rows(role, "select") === "none");
  return true;
}

/** A name that may break after its underscores if it is too long. */
function Breakable({ name }: { name: string }) {
  return name.split(/(?<=_)/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

function Cell({ relation, role, command }: { relation: Relation; role: string; command: Command }) {
  const verdict = relation.access[role]![command];
  const partly = verdict.columns.length ? ", some columns" : "";
  const label = `${role}, ${command} on ${relation.name}: ${ROWS[verdict.rows]}${partly}`;
  const address = addressOf("access", [], { table: `${relation.schema}.${relation.name}`, role, command });
  return (
    <a className={`cell ${verdict.rows}`} href={address} onClick={follow} aria-label={label} title={label}>
      {command[0]!.toUpperCase()}
      {partly && "*"}
    </a>
  );
}

/** The reason for the access, step by step, and the statement that would change it. */
function Explained({ catalog, relation, role, command, close }: { catalog: Catalog; relation: Relation; role: string; command: Command; close: () => void }) {
  const verdict = relation.access[role]![command];
  const name = `${relation.schema}.${relation.name}`;
  const others = relation.policies.filter((each) => !verdict.policies.includes(each.name));
  const { session } = useSession();
  const [isForming, setForming] = useState(false);
  if (isForming) return <NewPolicyForm relation={relation} catalog={catalog} role={role} forCommand={command} close={() => setForming(false)} />;
  return (
    <Dialog title={`${role} · ${command} · ${relation.name}`} close={close} side>
      <div className="row" role="group" aria-label="Command">
        {COMMANDS.map((each) => (
          <a key={each} className={`button ${each === command ? "chosen" : ""}`} aria-current={each === command} href={addressOf("access", [], { table: name, role, command: each })} onClick={follow}>
            {each}
          </a>
        ))}
      </div>
      <p className={`notice ${{ all: "tone-good", policy: "tone-info", none: "tone-bad" }[verdict.rows]}`}>
        <strong>
          {{ all: "All rows.", policy: "Some rows.", none: "No rows." }[verdict.rows]} {verdict.why}
        </strong>
      </p>
      <h3>How PostgreSQL decides</h3>
      <Steps catalog={catalog} relation={relation} role={role} command={command} />
      {verdict.fix && (
        <>
          <h3>{verdict.rows === "all" ? "Statement that would restrict access" : "Statement that would allow access"}</h3>
          <Proposal text={verdict.fix} />
          {session?.canRunSql && verdict.rows !== "all" && (
            <div className="row">
              <button onClick={() => setForming(true)}>
                <Icon name="plus" /> Another policy
              </button>
            </div>
          )}
          {verdict.rows === "all" && <p className="small muted">After this statement, no row is visible without a policy.</p>}
        </>
      )}
      {others.length > 0 && (
        <details>
          <summary>{plural(others.length, "policy", "policies")} for other roles or commands</summary>
          <div className="stack">
            {others.map((each) => (
              <PolicyCard key={each.name} policy={each} />
            ))}
          </div>
        </details>
      )}
    </Dialog>
  );
}
