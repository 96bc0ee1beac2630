// The form of a new policy. Its templates fill in the conditions, which can then be changed.

import { useState } from "react";
import { COMMANDS, type Catalog, type Command, type Relation } from "../catalog";
import { Choice, StatementForm, Text } from "./form";
import { bothWays, newPolicy, ownRows, teamRows, type Membership } from "./statements";

type Template = "own" | "team" | "read" | "free";
const TEMPLATES: [Template, string][] = [
  ["own", "Own rows: those with the user's id"],
  ["team", "Team: rows of the teams of the user"],
  ["read", "Public read: all rows"],
  ["free", "Conditions of your own"],
];
const NAMES: Record<Template, string> = { own: "own rows", team: "rows of my teams", read: "public read", free: "" };
const USER = /^(?:owner|user|author|created_by|profile)/;

interface Given {
  relation: Relation;
  catalog: Catalog;
  close: () => void;
  role?: string;
  forCommand?: Command;
}

export function NewPolicyForm({ relation, catalog, close, role, forCommand }: Given) {
  const owner = relation.columns.find((each) => USER.test(each.name) && isId(each.type)) ?? relation.columns.find((each) => each.type === "uuid");
  const memberships = membershipsOf(catalog, relation);
  const [template, setTemplate] = useState<Template>(owner ? "own" : "read");
  const [column, setColumn] = useState(owner?.name ?? relation.columns[0]!.name);
  const [member, setMember] = useState(0);
  const [given, setGiven] = useState<{ name?: string; command?: Command | "all"; roles?: string[]; using?: string; check?: string }>({});
  const command = given.command ?? forCommand ?? (template === "read" ? "select" : "all");
  const roles = given.roles ?? (role ? [role] : template === "read" ? ["anon", "authenticated"] : ["authenticated"]);
  const chosen = memberships[member];
  const made = bothWays(command, conditionOf(template, relation, column, chosen));
  const policy = { name: given.name ?? NAMES[template], command, roles, using: given.using ?? made.using, check: given.check ?? made.check };
  const lacking = !policy.name ? "The policy needs a name." : !roles.length ? "The policy needs a role." : !policy.using && !policy.check ? (template === "team" ? "" : "The policy needs a condition.") : "";
  const noTeam = template === "team" && !chosen ? "No table of memberships was found: one with a column of users, and a column that this table has too, such as team_id." : "";
  const take = (next: Template) => {
    setTemplate(next);
    setGiven({ roles: given.roles, command: given.command });
    if (next === "own" && owner) setColumn(owner.name);
  };
  return (
    <StatementForm title={`New policy on ${relation.name}`} close={close} missing={noTeam || lacking} text={newPolicy(relation, policy)} done={`The policy ${policy.name} applies.`}>
      <Choice label="Template" value={template} options={TEMPLATES} change={(value) => take(value as Template)} />
      {template === "own" && <Choice label="Column with the user's id" value={column} options={relation.columns.map((each) => [each.name, `${each.name}: ${each.type}`])} change={setColumn} />}
      {template === "team" && chosen && (
        <Choice
          label="Memberships"
          value={String(member)}
          options={memberships.map((each, index) => [String(index), `${each.table.name}: ${each.user} is in ${each.team}`])}
          change={(value) => setMember(Number(value))}
        />
      )}
      <div className="row">
        <Text label="Name" value={policy.name} change={(name) => setGiven({ ...given, name })} />
        <Choice label="For" value={command} options={["all", ...COMMANDS].map((each) => [each, each])} change={(value) => setGiven({ ...given, command: value as Command, using: undefined, check: undefined })} />
      </div>
      <fieldset>
        <legend className="small">For the roles</legend>
        <div className="row">
          {catalog.roles
            .filter((each) => !each.bypasses)
            .map((each) => (
              <label key={each.name} className="row">
                <input
                  type="checkbox"
                  checked={roles.includes(each.name)}
                  onChange={() => setGiven({ ...given, roles: roles.includes(each.name) ? roles.filter((one) => one !== each.name) : [...roles, each.name] })}
                />
                <code>{each.name}</code>
              </label>
            ))}
        </div>
      </fieldset>
      {command !== "insert" && <Text label="Existing rows: using" value={policy.using} change={(using) => setGiven({ ...given, using })} />}
      {command !== "select" && command !== "delete" && <Text label="New and changed rows: with check" value={policy.check} change={(check) => setGiven({ ...given, check })} />}
    </StatementForm>
  );
}

function conditionOf(template: Template, relation: Relation, column: string, membership: TeamOf | undefined): string {
  if (template === "own") return ownRows(column, relation.columns.find((each) => each.name === column)?.type ?? "uuid");
  if (template === "team") return membership ? teamRows(membership.column, membership) : "";
  return template === "read" ? "true" : "";
}

interface TeamOf extends Membership {
  /** The column of the table that names the team. */
  column: string;
}

const isId = (type: string) => type === "uuid" || type === "text" || type.startsWith("character");

/** Tables that connect users to what a column of this table refers to: teams, projects, organisations. */
function membershipsOf(catalog: Catalog, relation: Relation): TeamOf[] {
  const targetOf = (of: Relation, column: string) => of.keys.find((key) => key.type === "f" && key.columns?.length === 1 && key.columns[0] === column)?.to;
  return catalog.relations.flatMap((each) => {
    const user = each.columns.find((column) => USER.test(column.name) && isId(column.type)) ?? each.columns.find((column) => column.type === "uuid" && /member|user/.test(column.name));
    if (!user) return [];
    return each.columns.flatMap((team): TeamOf[] => {
      if (team === user || each.oid === relation.oid) return [];
      const to = targetOf(each, team.name);
      const own = relation.columns.find((column) => (to && targetOf(relation, column.name) === to) || (column.name === team.name && column.name.endsWith("_id")));
      const isTeam = to === relation.oid ? relation.keys.find((key) => key.type === "p")?.columns?.[0] : own?.name;
      return isTeam ? [{ table: each, team: team.name, user: user.name, userType: user.type, column: isTeam }] : [];
    });
  });
}
