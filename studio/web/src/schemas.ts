// The GraphQL schema that a caller sees, loaded in parts by introspection: that of a thousand tables has tens of megabytes,
// and a view needs only a few types.

import type { GraphQLSchema } from "graphql";
import { onSchemaChange, useSchemaChange } from "./changes";
import { data, type Credentials } from "./http";
import { MEMBERS, NAMES, OUTLINE, schemaFrom, touchedBy, TYPE, type Introspected, type Roots } from "./introspection";
import { useLoading, type Loading } from "./loading";
import { useCaller, type Caller } from "./session";

/** A collection of rows at the root, and the type of its rows. */
export interface Collection {
  field: string;
  type: string;
}

export interface Outline {
  roots: Roots;
  collections: Collection[];
  mutations: Set<string>;
}

type NamedType = Pick<Introspected, "name" | "fields" | "inputFields">;

export class Schemas {
  #known = new Map<string, Introspected>();
  #pending = new Map<string, Promise<void>>();
  #built: { size: number; schema: GraphQLSchema } | null = null;
  #outline: Promise<Outline> | null = null;
  #lists = new Map<string, Promise<string[]>>();

  constructor(readonly by: Credentials) {}

  /** The fields of the roots. They are requested once; a failure is not cached. */
  outline(): Promise<Outline> {
    const pending = (this.#outline ??= outlineFor(this.by));
    pending.catch(() => (this.#outline = null));
    return pending;
  }

  /** The names of all types. */
  names(): Promise<string[]> {
    return this.#once(NAMES, (types) => types.map((each) => each.name));
  }

  /** The members of all types, each as TYPE.MEMBER. */
  members(): Promise<string[]> {
    return this.#once(MEMBERS, (types) => types.flatMap(({ name, fields, inputFields }) => [...(fields ?? []), ...(inputFields ?? [])].map((each) => `${name}.${each.name}`)));
  }

  #once(query: string, read: (types: NamedType[]) => string[]): Promise<string[]> {
    const pending = this.#lists.get(query) ?? data({ query }, this.by).then(({ __schema }) => read(__schema.types.filter((each: NamedType) => !each.name.startsWith("__"))));
    this.#lists.set(query, pending);
    pending.catch(() => this.#lists.delete(query));
    return pending;
  }

  /** The schema with these types and all types that were requested earlier. Missing types are left out. */
  async having(names: Iterable<string>): Promise<GraphQLSchema> {
    const { roots } = await this.outline();
    await Promise.all([...names].map((each) => this.#learn(each)));
    if (this.#built?.size !== this.#known.size) this.#built = { size: this.#known.size, schema: schemaFrom(roots, this.#known.values()) };
    return this.#built.schema;
  }

  #learn(name: string): Promise<void> {
    const pending =
      this.#pending.get(name) ??
      data({ query: TYPE, variables: { name } }, this.by).then(({ __type }) => {
        if (__type) this.#known.set(name, __type as Introspected);
      });
    this.#pending.set(name, pending);
    pending.catch(() => this.#pending.delete(name));
    return pending;
  }

  /** The schema with the types of the roots and the types that a document uses. */
  async about(document: string): Promise<GraphQLSchema> {
    const { roots } = await this.outline();
    const wanted = new Set([roots.queryType.name, ...(roots.mutationType ? [roots.mutationType.name] : [])]);
    for (;;) {
      const before = wanted.size;
      const schema = await this.having(wanted);
      for (const each of touchedBy(document, this.#known.values())) wanted.add(each);
      if (wanted.size === before) return schema;
    }
  }
}

async function outlineFor(by: Credentials): Promise<Outline> {
  const { __schema: roots } = await data({ query: OUTLINE }, by);
  const collections: Collection[] = roots.queryType.fields.flatMap((each: { name: string; type: { name: string | null; ofType: { name: string } | null } }) => {
    const type = nodeOf(each.type.name ?? each.type.ofType?.name ?? "");
    return type && each.name.endsWith("Collection") ? [{ field: each.name, type }] : [];
  });
  collections.sort((a, b) => a.type.localeCompare(b.type));
  return { roots, collections, mutations: new Set(roots.mutationType?.fields.map((each: { name: string }) => each.name)) };
}

/** The name of the type of a connection's rows; undefined for a type that is not a connection. */
export function nodeOf(connection: string): string | undefined {
  return connection.endsWith("Connection") ? connection.slice(0, -"Connection".length) : undefined;
}

const known = new Map<string, Schemas>();
onSchemaChange(() => known.clear());

export function schemasOf(caller: Caller): Schemas {
  const key = `${caller.id} ${caller.token ?? caller.apiKey}`;
  const found = known.get(key) ?? new Schemas(caller);
  known.set(key, found);
  return found;
}

export function useOutline(): Loading<Outline> {
  const caller = useCaller();
  const loading = useLoading(() => schemasOf(caller).outline(), [caller.id]);
  useSchemaChange(loading.again);
  return {
    ...loading,
    again: () => {
      known.clear();
      loading.again();
    },
  };
}
