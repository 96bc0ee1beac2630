// A collection in the caller's schema: its columns, its relationships, and the permitted operations on its rows.

import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
} from "graphql";
import { nodeOf, type Schemas } from "../schemas";

export interface ValueKind {
  type: string;
  isList: boolean;
  /** The possible values, if they are few. */
  values?: string[];
}

export interface DataColumn extends ValueKind {
  name: string;
  about: string;
  /** Whether the API requires a value of an insert. */
  required: boolean;
}

export interface Link {
  name: string;
  type: string;
  /** The field that is shown as the name of a row of the other side. */
  label: string;
}

export interface ToMany {
  name: string;
  type: string;
  /** The field that is shown as the name of a row of the other side. */
  label: string;
  /** The member of the other side's filter that refers back to this side. */
  back: string | undefined;
}

export interface Operator {
  name: string;
  about: string;
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

/** A collection with everything that its view needs; undefined if the caller has no collection of that type. */
export async function tableOf(schemas: Schemas, type: string): Promise<Table | undefined> {
  const { collections, mutations } = await schemas.outline();
  const root = collections.find((each) => each.type === type);
  if (!root) return undefined;
  const own = [type, `${type}Connection`, `${type}Filter`, `${type}OrderBy`, `${type}InsertInput`, `${type}UpdateInput`];
  const near = await schemas.having([...own, ...neighbours(await schemas.having(own), own)]);
  const schema = await schemas.having(operandEnums(inputOf(near, `${type}Filter`)));
  const node = schema.getType(type) as GraphQLObjectType;
  const fields = Object.values(node.getFields());
  const filter = inputOf(schema, `${type}Filter`);
  const order = inputOf(schema, `${type}OrderBy`);
  return {
    type,
    field: root.field,
    hasId: "nodeId" in node.getFields(),
    hasCount: "totalCount" in (schema.getType(`${type}Connection`) as GraphQLObjectType).getFields(),
    columns: fields.filter(isColumn).map(column),
    toOne: fields.filter(isToOne).map(link),
    toMany: fields.flatMap((each) => toMany(each, schema, type)),
    operators: filter ? operatorsOf(filter, node) : {},
    sortable: new Set(order ? Object.keys(order.getFields()) : []),
    filterType: filter?.name,
    ...changesOf(schema, mutations, type),
  };
}

/** The types that these refer to, including the rows and the filters of a relationship's other side. */
function neighbours(schema: GraphQLSchema, of: string[]): Set<string> {
  const found = new Set<string>();
  for (const type of of.map((each) => schema.getType(each))) {
    if (!isObjectType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const name = getNamedType(field.type as GraphQLType).name;
      const node = isConnection(field) ? nodeOf(name)! : name;
      found.add(node);
      if (isConnection(field)) found.add(`${node}Filter`);
    }
  }
  return found;
}

/** The enums that the operators of a filter take. Their values are choices. */
function operandEnums(filter: GraphQLInputObjectType | undefined): string[] {
  const types = Object.values(filter?.getFields() ?? {}).map((each) => getNamedType(each.type));
  const operators = types.filter(isInputObjectType).flatMap((each) => Object.values(each.getFields()));
  return operators.map((each) => getNamedType(each.type)).filter(isEnumType).map((each) => each.name);
}

function inputOf(schema: GraphQLSchema, name: string): GraphQLInputObjectType | undefined {
  const found = schema.getType(name);
  return isInputObjectType(found) ? found : undefined;
}

function changesOf(schema: GraphQLSchema, mutations: Set<string>, type: string) {
  const fields = { insert: `insertInto${type}Collection`, update: `update${type}Collection`, remove: `deleteFrom${type}Collection` };
  const insert = mutations.has(fields.insert) ? inputOf(schema, `${type}InsertInput`) : undefined;
  const update = mutations.has(fields.update) ? inputOf(schema, `${type}UpdateInput`) : undefined;
  return {
    insert: insert && {
      field: fields.insert,
      type: insert.name,
      columns: Object.values(insert.getFields()).filter((each) => isPlain(getNamedType(each.type))).map(column),
    },
    update: update && { field: fields.update, type: update.name, columns: new Set(Object.keys(update.getFields())) },
    remove: mutations.has(fields.remove) ? { field: fields.remove } : undefined,
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
  return isObjectType(type) && "nodeId" in type.getFields() && !isConnection(field);
}

/** Whether a field returns pages of rows. Its name does not show that, since a table may be called a connection. */
function isConnection(field: GraphQLField<unknown, unknown> | GraphQLInputField): boolean {
  return "args" in field && field.args.some((each) => each.name === "first") && !!nodeOf(getNamedType(field.type).name);
}

function link(field: GraphQLField<unknown, unknown>): Link {
  const type = getNamedType(field.type) as GraphQLObjectType;
  return { name: field.name, type: type.name, label: labelOf(type) };
}

function labelOf(type: GraphQLObjectType): string {
  return labelAmong(Object.values(type.getFields()).filter(isColumn)) ?? "nodeId";
}

const LABELS = ["name", "title", "label", "email", "code", "slug"];

/** The column whose value is shown as the name of a row. */
export function labelAmong(columns: { name: string }[]): string | undefined {
  return LABELS.find((each) => columns.some(({ name }) => name === each)) ?? columns[0]?.name;
}

function toMany(field: GraphQLField<unknown, unknown>, schema: GraphQLSchema, type: string): ToMany[] {
  const node = isConnection(field) ? schema.getType(nodeOf(getNamedType(field.type).name)!) : undefined;
  if (!isObjectType(node)) return [];
  const members = inputOf(schema, `${node.name}Filter`)?.getFields() ?? {};
  const back = Object.values(node.getFields()).filter((each) => isToOne(each) && getNamedType(each.type).name === type && each.name in members);
  return [{ name: field.name, type: node.name, label: labelOf(node), back: back.length === 1 ? back[0]!.name : undefined }];
}

function kindOf(type: GraphQLType): ValueKind {
  const named = getNamedType(type);
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  return { type: named.name, isList, values: isList ? undefined : valuesOf(named) };
}

function valuesOf(type: GraphQLNamedType): string[] | undefined {
  if (isEnumType(type)) return type.getValues().map((each) => each.name);
  return type.name === "Boolean" ? ["true", "false"] : undefined;
}

function column(field: { name: string; type: GraphQLType; description?: string | null }): DataColumn {
  return { name: field.name, about: field.description ?? "", required: isNonNullType(field.type), ...kindOf(field.type) };
}

/** The operators of each member of a filter that is not about related rows. */
function operatorsOf(filter: GraphQLInputObjectType, node: GraphQLObjectType): Record<string, Operator[]> {
  const found: Record<string, Operator[]> = {};
  for (const member of Object.values(filter.getFields())) {
    const type = getNamedType(member.type);
    const related = node.getFields()[member.name];
    if (!isInputObjectType(type) || type.name === filter.name || (related && isObjectType(getNamedType(related.type)))) continue;
    const operators = Object.values(type.getFields()).filter((each) => isPlain(getNamedType(each.type)));
    if (operators.length) found[member.name] = operators.map((each) => ({ name: each.name, about: each.description ?? "", kind: kindOf(each.type) }));
  }
  return found;
}
