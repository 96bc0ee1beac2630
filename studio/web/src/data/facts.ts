// What the database says of the fields of a type: required values, defaults, and the rows that keys refer to. Only the service
// role may read the catalog; without its key, the GraphQL schema alone says what is required.

import { ask, type GraphQLError } from "../http";
import type { Caller } from "../session";
import type { Link, Table } from "./model";

export interface Target {
  type: string;
  field: string;
}

export interface Facts {
  fields: Record<string, { required: boolean; nullable: boolean; default: string | null; target: Target | null }>;
  constraints: Record<string, string[]>;
}

const NONE: Facts = { fields: {}, constraints: {} };

export async function factsOf(type: string, caller: Caller, serviceKey: string): Promise<Facts> {
  if (!serviceKey) return NONE;
  return ask<Facts>(`form?${new URLSearchParams({ role: caller.role, type })}`, serviceKey).catch(() => NONE);
}

const bare = (name: string) => name.toLowerCase().replaceAll("_", "");

/** The relationship that a key column stands for: `city` for `cityId`. */
export function linkOfKey(column: string, table: Table, facts: Facts): Link | undefined {
  const named = table.toOne.find((each) => [`${bare(each.name)}id`, bare(each.name)].includes(bare(column)));
  const target = facts.fields[column]?.target;
  if (named && (!target || named.type === target.type)) return named;
  const links = table.toOne.filter((each) => each.type === target?.type);
  const keys = Object.values(facts.fields).filter((each) => each.target?.type === target?.type);
  return target && links.length === 1 && keys.length === 1 ? links[0] : undefined;
}

/** The fields that an error is about: those that it names, or those of the constraint that is violated. */
export function fieldsOf(error: GraphQLError, facts: Facts): string[] {
  const named = /has invalid value at (?:\[0\])?\.?(\w+)/.exec(error.message)?.[1] ?? /required field '(\w+)'/.exec(error.message)?.[1];
  if (named) return [named];
  const { constraint, column } = (error.extensions ?? {}) as { constraint?: string; column?: string };
  if (constraint && facts.constraints[constraint]) return facts.constraints[constraint];
  return Object.keys(facts.fields).filter((each) => column !== undefined && bare(each) === bare(column));
}
