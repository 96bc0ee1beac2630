// The GraphQL schema as a caller sees it, from introspection; asked once for each caller.

import { buildClientSchema, getIntrospectionQuery, getNamedType, isObjectType, type GraphQLObjectType, type GraphQLSchema } from "graphql";
import { data, type Credentials } from "./http";
import { useLoading, type Loading } from "./loading";
import { useCaller, type Caller } from "./session";

const known = new Map<string, Promise<GraphQLSchema>>();

export function schemaOf(caller: Caller): Promise<GraphQLSchema> {
  const key = `${caller.id} ${caller.token ?? caller.apiKey}`;
  let asked = known.get(key);
  if (!asked) {
    asked = introspect(caller);
    known.set(key, asked);
    asked.catch(() => known.delete(key));
  }
  return asked;
}

async function introspect(by: Credentials): Promise<GraphQLSchema> {
  const query = getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true });
  return buildClientSchema((await data({ query, operationName: "IntrospectionQuery" }, by)) as never, { assumeValid: true });
}

export function useSchema(): Loading<GraphQLSchema> {
  const caller = useCaller();
  const loading = useLoading(() => schemaOf(caller), [caller.id]);
  return {
    ...loading,
    again: () => {
      known.clear();
      loading.again();
    },
  };
}

/** The type of the rows of a connection; undefined for another type. */
export function nodeOf(type: unknown): GraphQLObjectType | undefined {
  if (!isObjectType(type) || !type.name.endsWith("Connection")) return undefined;
  const edge = getNamedType(type.getFields()["edges"]?.type);
  const node = isObjectType(edge) ? getNamedType(edge.getFields()["node"]?.type) : undefined;
  return isObjectType(node) ? node : undefined;
}
