// A collection as the caller's schema has it: its columns, where they lead, and what may be done with the rows.

import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
} from "graphql";
import { nodeOf } from "../schemas";

export interface ValueKind {
  type: string;
  isList: boolean;
  values?: string[];
}

export interface DataColumn extends ValueKind {
  name: string;
  about: string;
}

export interface Link {
  name: string;
  type: string;
  /** The field that names a row of the other side for people. */
  label: string;
}

export interface ToMany {
  name: string;
  type: string;
  /** The member of the other side's filter that leads back here. */
  back: string | undefined;
}

export interface Operator {
  name: string;
  kind: ValueKind;
}

export interface Table {
  type: string;
  field: string;
  hasId: boolean;
  hasCount: boolean;
  columns: DataColumn[];
  toOne: Link[];
  toMany: ToMany[];
  operators: Record<string, Operator[]>;
  sortable: Set<string>;
  filterType: string | undefined;
  insert: { field: string; type: string; columns: DataColumn[] } | undefined;
  update: { field: string; type: string; columns: Set<string> } | undefined;
  remove: { field: string } | undefined;
}

export function tablesOf(schema: GraphQLSchema): { type: string; field: string }[] {
  const found = [];
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const node = nodeOf(getNamedType(field.type));
    if (node) found.push({ type: node.name, field: field.name });
  }
  return found.sort((a, b) => a.type.localeCompare(b.type));
}

export function tableOf(schema: GraphQLSchema, type: string): Table | undefined {
  const root = Object.values(schema.getQueryType()?.getFields() ?? {}).find((each) => nodeOf(getNamedType(each.type))?.name === type);
  if (!root) return undefined;
  const node = nodeOf(getNamedType(root.type))!;
  const fields = Object.values(node.getFields());
  const argument = (name: string) => getNamedType(root.args.find((each) => each.name === name)?.type as GraphQLType | undefined);
  const filter = argument("filter");
  const order = argument("orderBy");
  const connection = getNamedType(root.type) as GraphQLObjectType;
  return {
    type,
    field: root.name,
    hasId: "nodeId" in node.getFields(),
    hasCount: "totalCount" in connection.getFields(),
    columns: fields.filter(isColumn).map(column),
    toOne: fields.filter((each) => isToOne(each)).map(link),
    toMany: fields.flatMap((each) => toMany(each, type)),
    operators: isInputObjectType(filter) ? operatorsOf(filter) : {},
    sortable: new Set(isInputObjectType(order) ? Object.keys(order.getFields()) : []),
    filterType: filter?.name,
    ...changesOf(schema, type),
  };
}

function changesOf(schema: GraphQLSchema, type: string) {
  const fields = schema.getMutationType()?.getFields() ?? {};
  const inputOf = (field: string, name: string) => {
    const found = getNamedType(fields[field]?.args.find((each) => each.name === name)?.type as GraphQLType | undefined);
    return isInputObjectType(found) ? found : undefined;
  };
  const insert = inputOf(`insertInto${type}Collection`, "objects");
  const update = inputOf(`update${type}Collection`, "set");
  const remove = fields[`deleteFrom${type}Collection`];
  return {
    insert: insert && {
      field: `insertInto${type}Collection`,
      type: insert.name,
      columns: Object.values(insert.getFields()).filter((each) => isPlain(getNamedType(each.type))).map(column),
    },
    update: update && { field: `update${type}Collection`, type: update.name, columns: new Set(Object.keys(update.getFields())) },
    remove: remove && { field: remove.name },
  };
}

function isPlain(type: GraphQLNamedType | undefined): boolean {
  return isScalarType(type) || isEnumType(type);
}

function isColumn(field: GraphQLField<unknown, unknown>): boolean {
  return field.name !== "nodeId" && field.args.every((each) => !isNonNullType(each.type)) && isPlain(getNamedType(field.type));
}

function isToOne(field: GraphQLField<unknown, unknown>): boolean {
  const type = getNamedType(field.type);
  return isObjectType(type) && "nodeId" in type.getFields() && !nodeOf(type);
}

function link(field: GraphQLField<unknown, unknown>): Link {
  const type = getNamedType(field.type) as GraphQLObjectType;
  return { name: field.name, type: type.name, label: labelOf(type) };
}

const LABELS = ["name", "title", "label", "email", "code", "slug"];

function labelOf(type: GraphQLObjectType): string {
  const columns = Object.values(type.getFields()).filter(isColumn).map((each) => each.name);
  return LABELS.find((each) => columns.includes(each)) ?? columns[0] ?? "nodeId";
}

function toMany(field: GraphQLField<unknown, unknown>, type: string): ToMany[] {
  const node = nodeOf(getNamedType(field.type));
  if (!node) return [];
  const filter = getNamedType(field.args.find((each) => each.name === "filter")?.type as GraphQLType | undefined);
  const members = isInputObjectType(filter) ? filter.getFields() : {};
  const back = Object.values(node.getFields()).filter((each) => isToOne(each) && getNamedType(each.type).name === type && each.name in members);
  return [{ name: field.name, type: node.name, back: back.length === 1 ? back[0]!.name : undefined }];
}

function kindOf(type: GraphQLType): ValueKind {
  const named = getNamedType(type);
  const bare = isNonNullType(type) ? type.ofType : type;
  return { type: named.name, isList: isListType(bare), values: isEnumType(named) ? named.getValues().map((each) => each.name) : undefined };
}

function column(field: { name: string; type: GraphQLType; description?: string | null }): DataColumn {
  return { name: field.name, about: field.description ?? "", ...kindOf(field.type) };
}

function operatorsOf(filter: GraphQLInputObjectType): Record<string, Operator[]> {
  const found: Record<string, Operator[]> = {};
  for (const member of Object.values(filter.getFields())) {
    const type = getNamedType(member.type);
    if (!isInputObjectType(type) || type.name === filter.name) continue;
    const operators = Object.values(type.getFields()).filter((each) => isPlain(getNamedType(each.type)));
    if (operators.some((each) => each.name === "eq")) {
      found[member.name] = operators.map((each) => ({ name: each.name, kind: kindOf(each.type) }));
    }
  }
  return found;
}
