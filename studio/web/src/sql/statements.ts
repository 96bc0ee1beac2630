// The statements that the forms make: a table, a column, a policy.

import type { Command, Relation } from "../catalog";
import { qualified, quoted } from "./names";

export interface NewColumn {
  name: string;
  type: string;
  required: boolean;
  /** An expression of SQL; empty for none. */
  otherwise: string;
  references?: { schema: string; name: string };
}

export const TYPES = ["text", "integer", "bigint", "numeric", "boolean", "date", "timestamptz", "uuid", "jsonb", "text[]"];
const CALLER = "(select auth.uid())";

function definition({ name, type, required, otherwise, references }: NewColumn): string {
  return [quoted(name), type, required && "not null", otherwise && `default ${otherwise}`, references && `references ${qualified(references)}`].filter(Boolean).join(" ");
}

/** Who may use a new table at first, beside service_role. */
export type Access = "none" | "own" | "read";

export const OWNER: NewColumn = { name: "owner_id", type: "uuid", required: true, otherwise: "auth.uid()" };

export function createTable(table: { schema: string; name: string }, key: "bigint" | "uuid", columns: NewColumn[], access: Access): string {
  const name = qualified(table);
  const id = key === "uuid" ? "id uuid primary key default gen_random_uuid()" : "id bigint generated always as identity primary key";
  const all = access === "own" && !columns.some((each) => each.name === OWNER.name) ? [OWNER, ...columns] : columns;
  const lines = [id, ...all.map(definition)].map((each) => `  ${each}`).join(",\n");
  const statements = [`create table ${name} (\n${lines}\n)`, `alter table ${name} enable row level security`];
  if (access === "own") {
    statements.push(
      `create index on ${name} (${OWNER.name})`,
      createPolicy({ table: name, name: "own rows", command: "all", roles: ["authenticated"], ...bothWays("all", ownRows(OWNER.name, "uuid")) }),
      `grant select, insert, update, delete on ${name} to authenticated`,
    );
  }
  if (access === "read") {
    const roles = ["anon", "authenticated"];
    statements.push(createPolicy({ table: name, name: "public read", command: "select", roles, using: "true", check: "" }), `grant select on ${name} to ${roles.join(", ")}`);
  }
  return asText(statements);
}

export function addColumn(table: Relation, column: NewColumn, withIndex: boolean): string {
  const name = qualified(table);
  const statements = [`alter table ${name} add column ${definition(column)}`];
  if (column.references && withIndex) statements.push(`create index on ${name} (${quoted(column.name)})`);
  return asText(statements);
}

export interface NewPolicy {
  table: string;
  name: string;
  command: Command | "all";
  roles: string[];
  using: string;
  check: string;
}

export function createPolicy({ table, name, command, roles, using, check }: NewPolicy): string {
  const clauses = [using && `  using (${using})`, check && `  with check (${check})`].filter(Boolean);
  return [`create policy ${quoted(name)} on ${table} for ${command} to ${roles.map(quoted).join(", ")}`, ...clauses].join("\n");
}

/** The policy, and what it needs to have an effect: row level security, and the privileges of its roles. */
export function newPolicy(relation: Relation, policy: Omit<NewPolicy, "table">): string {
  const name = qualified(relation);
  const commands: Command[] = policy.command === "all" ? ["select", "insert", "update", "delete"] : [policy.command];
  const lacking = policy.roles.filter((role) => commands.some((each) => relation.access[role]?.[each].grants.length === 0));
  const statements = [createPolicy({ ...policy, table: name })];
  if (!relation.rowSecurity) statements.unshift(`alter table ${name} enable row level security`);
  if (lacking.length) statements.push(`grant ${commands.join(", ")} on ${name} to ${lacking.map(quoted).join(", ")}`);
  return asText(statements);
}

/** The condition of rows that belong to the caller. `(select ...)` is evaluated once for a statement, not for each row. */
export function ownRows(column: string, type: string): string {
  return `${quoted(column)} = ${CALLER}${type === "uuid" ? "" : `::${type}`}`;
}

export interface Membership {
  table: { schema: string; name: string };
  team: string;
  user: string;
  userType: string;
}

/** The condition of rows of the teams that the caller is a member of. */
export function teamRows(column: string, { table, team, user, userType }: Membership): string {
  return `${quoted(column)} in (select m.${quoted(team)} from ${qualified(table)} m where m.${ownRows(user, userType)})`;
}

/** The clauses in which PostgreSQL wants a condition: `using` for existing rows, `with check` for new ones. */
export function bothWays(command: Command | "all", condition: string): { using: string; check: string } {
  return {
    using: command === "insert" ? "" : condition,
    check: command === "select" || command === "delete" ? "" : condition,
  };
}

function asText(statements: string[]): string {
  return statements.map((each) => `${each};\n`).join("");
}
