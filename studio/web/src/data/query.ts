// The operations of the view Data, through the public API as the chosen caller.

import { data, run, type Credentials, type GraphQLError } from "../http";
import type { Condition } from "./filters";
import { linkOfKey, type Facts } from "./facts";
import type { Table } from "./model";
import { valueOf } from "./values";

export const PAGE = 50;

export interface Sort {
  column: string;
  down: boolean;
}

export interface PageOf {
  rows: Record<string, any>[];
  cursors: { start?: string; end?: string; next: boolean; previous: boolean };
  total?: number;
}

export interface Turn {
  after?: string;
  before?: string;
}

export function filterOf(table: Table, conditions: Condition[]): Record<string, unknown> | undefined {
  const all: Record<string, unknown>[] = [];
  for (const { column, operator, value } of conditions) {
    const kind = table.operators[column]?.find((each) => each.name === operator)?.kind;
    if (kind) all.push({ [column]: { [operator]: valueOf(value, kind, column) } });
    else if (table.toOne.some((each) => each.name === column)) all.push({ [column]: { nodeId: { [operator]: value } } });
  }
  return all.length === 0 ? undefined : all.length === 1 ? all[0] : { and: all };
}

/** The document of a page. It can also be opened in Explore. */
export function document(table: Table, columns: string[], facts: Facts): string {
  const shown = new Set([...columns, ...columns.map((each) => linkOfKey(each, table, facts)?.name)]);
  const fields = [
    ...(table.hasId ? ["nodeId"] : []),
    ...table.columns.filter((each) => shown.has(each.name)).map((each) => each.name),
    ...table.toOne.filter((each) => shown.has(each.name)).map((each) => `${each.name} { nodeId${each.label === "nodeId" ? "" : ` ${each.label}`} }`),
  ];
  if (!fields.length) fields.push("__typename");
  const filter = table.filterType ? [`$filter: ${table.filterType}`, "filter: $filter"] : ["", ""];
  const order = table.sortable.size ? [`$orderBy: [${table.type}OrderBy!]`, "orderBy: $orderBy"] : ["", ""];
  const given = ["$first: Int", "$last: Int", "$after: Cursor", "$before: Cursor", filter[0], order[0]].filter(Boolean).join(", ");
  const passed = ["first: $first", "last: $last", "after: $after", "before: $before", filter[1], order[1]].filter(Boolean).join(", ");
  return `query ${table.type}Rows(${given}) {
  rows: ${table.field}(${passed}) {
    ${table.hasCount ? "totalCount\n    " : ""}pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    edges { node { ${fields.join(" ")} } }
  }
}
`;
}

export function variablesOf(table: Table, conditions: Condition[], sort: Sort | null, turn: Turn): Record<string, unknown> {
  return {
    ...(turn.before ? { last: PAGE, before: turn.before } : { first: PAGE, ...(turn.after ? { after: turn.after } : {}) }),
    filter: filterOf(table, conditions),
    orderBy: sort ? [{ [sort.column]: sort.down ? "DescNullsLast" : "AscNullsLast" }] : undefined,
  };
}

export async function page(query: string, variables: Record<string, unknown>, by: Credentials, signal: AbortSignal): Promise<PageOf> {
  const { rows } = await data({ query, variables }, by, signal);
  const { pageInfo } = rows;
  return {
    rows: rows.edges.map((each: { node: Record<string, unknown> }) => each.node),
    cursors: { start: pageInfo.startCursor, end: pageInfo.endCursor, next: pageInfo.hasNextPage, previous: pageInfo.hasPreviousPage },
    total: rows.totalCount,
  };
}

export interface Changed {
  count: number;
  errors: GraphQLError[];
  query: string;
}

async function change(query: string, variables: Record<string, unknown>, by: Credentials): Promise<Changed> {
  const { answer } = await run({ query, variables }, by);
  const counts = Object.values(answer.data ?? {}).map((each) => each?.affectedCount ?? 0);
  return { count: counts.reduce((sum, each) => sum + each, 0), errors: answer.errors ?? [], query };
}

export function updateRow(table: Table, id: string, set: Record<string, unknown>, by: Credentials) {
  const query = `mutation ($set: ${table.update!.type}!, $id: ID!) {
  ${table.update!.field}(set: $set, filter: { nodeId: { eq: $id } }, atMost: 1) { affectedCount }
}`;
  return change(query, { set, id }, by);
}

export function insertRow(table: Table, object: Record<string, unknown>, by: Credentials) {
  const query = `mutation ($objects: [${table.insert!.type}!]!) {
  ${table.insert!.field}(objects: $objects) { affectedCount }
}`;
  return change(query, { objects: [object] }, by);
}

export function deleteRows(table: Table, ids: string[], by: Credentials) {
  const query = `mutation ($filter: ${table.filterType}, $most: Int!) {
  ${table.remove!.field}(filter: $filter, atMost: $most) { affectedCount }
}`;
  return change(query, { filter: { or: ids.map((each) => ({ nodeId: { eq: each } })) }, most: ids.length }, by);
}
