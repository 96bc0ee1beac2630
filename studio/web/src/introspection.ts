// Builds a schema of the requested types. Other types that they refer to are included by name, without members.

import { buildClientSchema, type GraphQLSchema } from "graphql";

interface TypeRef {
  kind: string;
  name: string | null;
  ofType?: TypeRef | null;
}

interface InputValue {
  name: string;
  type: TypeRef;
}

interface Field extends InputValue {
  args: InputValue[];
}

export interface Introspected {
  kind: string;
  name: string;
  fields: Field[] | null;
  inputFields: InputValue[] | null;
  interfaces: TypeRef[] | null;
}

export interface Roots {
  queryType: { name: string };
  mutationType: { name: string } | null;
  directives: unknown[];
}

const REF = "fragment Ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";
const VALUE = "fragment Value on __InputValue { name description type { ...Ref } defaultValue isDeprecated deprecationReason }";
const WHOLE = `fragment Whole on __Type {
  kind name description
  fields(includeDeprecated: true) {
    name description isDeprecated deprecationReason type { ...Ref } args(includeDeprecated: true) { ...Value }
  }
  inputFields(includeDeprecated: true) { ...Value }
  interfaces { ...Ref }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
}`;

/** The roots with only the names of their fields, which are few bytes even for a thousand tables. */
export const OUTLINE = `query Outline { __schema {
  queryType { name fields { name type { kind name ofType { kind name } } } }
  mutationType { name fields { name } }
  directives { name description locations isRepeatable args { ...Value } }
} } ${REF} ${VALUE}`;

export const NAMES = "query Names { __schema { types { name } } }";

export const MEMBERS = "query Members { __schema { types { name fields { name } inputFields { name } } } }";

/** Requests the type `$name`; services limit the number of types in one operation. It leaves out `possibleTypes`, for which
 * a service must describe all types each time. */
export const TYPE = `query Type($name: String!) { __type(name: $name) { ...Whole } } ${WHOLE} ${VALUE} ${REF}`;

export function schemaFrom(roots: Roots, known: Iterable<Introspected>): GraphQLSchema {
  const types = new Map<string, unknown>();
  const whole = [...known];
  const { queryType, mutationType, directives } = roots;
  const objects = [queryType, mutationType].filter((each) => each !== null).map((each) => ({ kind: "OBJECT", name: each.name }));
  const values = (directives as { args: InputValue[] }[]).flatMap((each) => each.args.map((argument) => argument.type));
  for (const each of [...objects, ...values, ...whole.flatMap(refsOf)]) {
    const { kind, name } = named(each);
    types.set(name!, { kind, name, fields: [], inputFields: [], interfaces: [], possibleTypes: [], enumValues: [] });
  }
  for (const each of whole) types.set(each.name, { ...each, possibleTypes: [] });
  // A live query is a query, or a subscription with the fields of the query type.
  const described = { queryType, mutationType, subscriptionType: { name: queryType.name }, directives, types: [...types.values()] };
  return buildClientSchema({ __schema: described } as never, { assumeValid: true });
}

function refsOf(type: Introspected): TypeRef[] {
  const fields = (type.fields ?? []).flatMap((each) => [each.type, ...each.args.map((argument) => argument.type)]);
  const inputs = (type.inputFields ?? []).map((each) => each.type);
  return [...fields, ...inputs, ...(type.interfaces ?? [])];
}

function named(ref: TypeRef): TypeRef {
  return ref.ofType ? named(ref.ofType) : ref;
}

/** The types that a text may use: those that it names, and those of members that it names. A text that is still being
 * written cannot be parsed, so this looks only at its words; additional types do no harm. */
export function touchedBy(text: string, known: Iterable<Introspected>): Set<string> {
  const words = new Set(text.match(/\w+/g));
  const found = new Set<string>();
  for (const type of known) {
    for (const each of refsOf(type)) if (words.has(named(each).name!)) found.add(named(each).name!);
    for (const field of type.fields ?? []) {
      if (!words.has(field.name)) continue;
      found.add(named(field.type).name!);
      for (const each of field.args) if (words.has(each.name)) found.add(named(each.type).name!);
    }
    for (const each of type.inputFields ?? []) if (words.has(each.name)) found.add(named(each.type).name!);
  }
  return found;
}
