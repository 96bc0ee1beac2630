// The steps of PostgreSQL's decision: the schema, the privilege, row level security, the policies.

import type { Catalog, Command, Relation, Verdict } from "../catalog";
import { PolicyCard } from "./policy";

interface Given {
  catalog: Catalog;
  relation: Relation;
  role: string;
  command: Command;
}

export function Steps({ catalog, relation, role, command }: Given) {
  const verdict = relation.access[role]![command];
  const { bypasses, schemas } = catalog.roles.find((each) => each.name === role)!;
  const maySchema = schemas.includes(relation.schema);
  const isGranted = verdict.grants.length > 0;
  const isOwners = relation.kind === "v" && !relation.invoker;
  const isOpen = isOwners || !relation.rowSecurity || bypasses;
  return (
    <ol className="steps stack" aria-label="How PostgreSQL decides">
      <Step passes={maySchema}>
        {maySchema ? "May use" : "May not use"} the schema <code>{relation.schema}</code>.
      </Step>
      {maySchema && (
        <Step passes={isGranted}>
          {isGranted ? <Granted verdict={verdict} command={command} /> : <>Has no privilege to {command}: neither its own, nor through a role that it is a member of.</>}
        </Step>
      )}
      {isGranted && (
        <Step passes={isOpen || verdict.rows !== "none"}>
          {isOwners ? (
            <>The view reads with the rights of its owner, <code>{relation.owner}</code>: policies for this role do not apply.</>
          ) : !relation.rowSecurity ? (
            "Row level security is off: the privilege applies to all rows."
          ) : bypasses ? (
            "The role bypasses row level security: the privilege applies to all rows."
          ) : (
            "Row level security is on: a row needs a policy that allows it."
          )}
        </Step>
      )}
      {isGranted && !isOpen && <Policies relation={relation} verdict={verdict} command={command} />}
    </ol>
  );
}

function Policies({ relation, verdict, command }: { relation: Relation; verdict: Verdict; command: Command }) {
  const applied = relation.policies.filter((each) => verdict.policies.includes(each.name));
  const permissive = applied.filter((each) => each.permissive);
  const restrictive = applied.filter((each) => !each.permissive);
  return (
    <>
      <Step passes={permissive.length > 0}>
        {permissive.length === 0
          ? `No policy for this role and ${command} allows a row.`
          : permissive.length === 1
            ? "This policy decides on each row:"
            : "A row passes if any of these policies allows it:"}
        {permissive.map((each) => (
          <PolicyCard key={each.name} policy={each} />
        ))}
      </Step>
      {restrictive.length > 0 && (
        <Step passes>
          It must also pass {restrictive.length === 1 ? "this restrictive policy" : "all of these restrictive policies"}:
          {restrictive.map((each) => (
            <PolicyCard key={each.name} policy={each} />
          ))}
        </Step>
      )}
    </>
  );
}

function Step({ passes, children }: { passes: boolean; children: React.ReactNode }) {
  return (
    <li className={passes ? "passes" : "stops"}>
      <span className="visually-hidden">{passes ? "Passes: " : "Stops here: "}</span>
      {children}
    </li>
  );
}

/** The privilege, with the roles that have it and the columns to which it applies. */
function Granted({ verdict, command }: { verdict: Verdict; command: Command }) {
  const to = [...new Set(verdict.grants.map((each) => each.to))];
  return (
    <>
      Has the privilege to {command}
      {verdict.columns.length > 0 && (
        <>
          {" "}
          only the columns <code>{verdict.columns.join(", ")}</code>
        </>
      )}
      , granted to{" "}
      {to.map((each, index) => (
        <span key={each}>
          {index > 0 && ", "}
          <code>{each}</code>
          {each === "public" && " (every role)"}
        </span>
      ))}
      .
    </>
  );
}
