// The database's catalog with the access of each role. It covers the complete database, so it needs the service role.

import { onSchemaChange, useSchemaChange } from "./changes";
import { ask, Failure } from "./http";
import { useLoading, type Loading } from "./loading";
import { useSession } from "./session";

export type Command = "select" | "insert" | "update" | "delete";
export const COMMANDS: Command[] = ["select", "insert", "update", "delete"];

export interface Grant {
  to: string;
  privilege: Command;
  column: string | null;
}

export interface Policy {
  name: string;
  permissive: boolean;
  command: Command | "all";
  roles: string[];
  using: string | null;
  check: string | null;
}

export interface Verdict {
  rows: "all" | "policy" | "none";
  why: string;
  fix: string;
  policies: string[];
  grants: Grant[];
  columns: string[];
}

export interface Column {
  name: string;
  type: string;
  notNull: boolean;
  default: string | null;
  identity: boolean;
  generated: boolean;
  comment: string | null;
}

export interface Key {
  name: string;
  type: "p" | "u" | "f" | "c";
  to: number | null;
  definition: string;
  columns: string[] | null;
}

export interface Relation {
  oid: number;
  schema: string;
  name: string;
  kind: "r" | "p" | "v" | "m" | "f";
  comment: string | null;
  rows: number;
  rowSecurity: boolean;
  forced: boolean;
  owner: string;
  invoker: boolean;
  definition: string | null;
  columns: Column[];
  keys: Key[];
  policies: Policy[];
  grants: Grant[];
  access: Record<string, Record<Command, Verdict>>;
}

export interface Catalog {
  roles: { name: string; bypasses: boolean; has: string[]; schemas: string[] }[];
  relations: Relation[];
}

export const KINDS = { r: "table", p: "partitioned table", v: "view", m: "materialized view", f: "foreign table" };

let known: { key: string; catalog: Promise<Catalog> } | null = null;
onSchemaChange(() => (known = null));

export function catalogOf(serviceKey: string): Promise<Catalog> {
  if (!serviceKey) {
    return Promise.reject(new Failure("Only the service role may read the catalog.", "SERVICE_ROLE_REQUIRED", "Enter the service role key in the caller switch, under Keys."));
  }
  if (known?.key !== serviceKey) {
    const pending = ask<Catalog>("catalog", serviceKey);
    known = { key: serviceKey, catalog: pending };
    pending.catch(() => (known = null));
  }
  return known!.catalog;
}

/** The names of the GraphQL types, by role and relation. */
type Types = Record<string, Record<number, string>>;

let typesKnown: { catalog: Promise<Catalog>; types: Promise<Types> } | null = null;

/** The catalog with the names of the types. Building the schema of many tables takes a while. */
export async function typedCatalogOf(serviceKey: string): Promise<{ catalog: Catalog; types: Types }> {
  const catalog = catalogOf(serviceKey);
  if (typesKnown?.catalog !== catalog) {
    const types = ask<Types>("types", serviceKey);
    typesKnown = { catalog, types };
    types.catch(() => (typesKnown = null));
  }
  return { catalog: await catalog, types: await (typesKnown?.types ?? {}) };
}

export function useCatalog(): Loading<Catalog> {
  const { serviceKey } = useSession();
  const loading = useLoading(() => catalogOf(serviceKey), [serviceKey]);
  useSchemaChange(loading.again);
  return {
    ...loading,
    again: () => {
      known = null;
      loading.again();
    },
  };
}

type Typed = Awaited<ReturnType<typeof typedCatalogOf>>;

const lower = (name: string) => name[0]!.toLowerCase() + name.slice(1);

/** The relation and the command of a field of the API. */
function meaning(field: string, { catalog, types }: Typed): { relation: Relation; command: Command } | null {
  for (const relation of catalog.relations) {
    for (const type of new Set(Object.values(types).map((each) => each[relation.oid]))) {
      if (!type) continue;
      const commands: Record<string, Command> = {
        // A relationship is named after the table that it leads to, unless a comment renames it.
        [lower(type)]: "select",
        [`${lower(type)}Collection`]: "select",
        [`${lower(type)}ByPk`]: "select",
        [`${lower(type)}ByKey`]: "select",
        [`insertInto${type}Collection`]: "insert",
        [`update${type}Collection`]: "update",
        [`deleteFrom${type}Collection`]: "delete",
      };
      if (field in commands) return { relation, command: commands[field]! };
    }
  }
  return null;
}

export interface Reason {
  relation: Relation;
  command: Command;
  verdict: Verdict;
}

/** Why a request of a role was refused, from the error's message: the missing privilege or policy. */
export function reasonOf(message: string, role: string, query: string, typed: Typed): Reason | null {
  const field = /Cannot query field '(\w+)'/.exec(message)?.[1];
  if (field) return reasonOfField(field, role, typed);
  if (/mutation operation is not supported/.test(message)) {
    for (const [word] of query.matchAll(/\w+/g)) {
      const found = reasonOfField(word, role, typed);
      if (found && found.command !== "select") return found;
    }
  }
  const table = /(?:for|on) (?:table|relation|view) "?([\w.]+)"?/.exec(message)?.[1] ?? /permission denied for \w+ (\w+)/.exec(message)?.[1];
  if (!table || !/row-level security|permission denied/.test(message)) return null;
  const relation = typed.catalog.relations.find((each) => each.name === table);
  const command = /insertInto/.test(query) ? "insert" : /deleteFrom/.test(query) ? "delete" : /\bupdate[A-Z]/.test(query) ? "update" : "select";
  return relation ? reason(relation, command, role) : null;
}

function reasonOfField(field: string, role: string, typed: Typed): Reason | null {
  const found = meaning(field, typed);
  return found && reason(found.relation, found.command, role);
}

function reason(relation: Relation, command: Command, role: string): Reason | null {
  const verdict = relation.access[role]?.[command];
  return verdict && verdict.rows !== "all" ? { relation, command, verdict } : null;
}
