// An example for each collection of a schema, ready to run.

import { getNamedType, isEnumType, isObjectType, isScalarType, type GraphQLField, type GraphQLObjectType } from "graphql";
import type { Collection, Outline, Schemas } from "../schemas";

const FIELDS = 5;
export const NOTHING = "{\n  __typename\n}\n";

type Field = GraphQLField<unknown, unknown>;

/** A document that reads some rows of a collection, each with a related row. */
export async function example({ field, type }: Collection, schemas: Schemas): Promise<string> {
  const fields = fieldsOf((await schemas.having([type])).getType(type));
  const names = fields.filter(isPlain).slice(0, FIELDS).map((each) => each.name);
  const related = fields.find((each) => isObjectType(getNamedType(each.type)) && each.args.length === 0);
  if (related) {
    const target = getNamedType(related.type).name;
    const plain = fieldsOf((await schemas.having([target])).getType(target)).filter(isPlain);
    names.push(`${related.name} { ${(plain.find((each) => each.name === "name") ?? plain[0])?.name ?? "__typename"} }`);
  }
  if (!names.length) names.push("__typename");
  return `{\n  ${field}(first: 10) {\n    edges {\n      node {\n${names.map((each) => `        ${each}\n`).join("")}      }\n    }\n    pageInfo { hasNextPage endCursor }\n  }\n}\n`;
}

function fieldsOf(type: unknown): Field[] {
  return isObjectType(type) ? Object.values((type as GraphQLObjectType).getFields()) : [];
}

function isPlain(field: Field): boolean {
  const type = getNamedType(field.type);
  return field.name !== "nodeId" && (isScalarType(type) || isEnumType(type)) && field.args.length === 0;
}

/** The first document that a visitor sees: the demonstration's query if it fits the schema, or else the first example. */
export async function greeting({ collections }: Outline, schemas: Schemas): Promise<string> {
  const fields = new Set(collections.map((each) => each.field));
  if (fields.has("cityCollection") && fields.has("countryCollection")) {
    return `# The largest cities of the world, each with its country and that country's neighbours. Ctrl-Enter runs it.
query LargestCities($least: Int = 5000000) {
  cityCollection(
    first: 8
    filter: { population: { gte: $least } }
    orderBy: [{ population: DescNullsLast }]
  ) {
    edges {
      node {
        name
        population
        country {
          name
          languages
          neighbours(first: 3) { edges { node { neighbour { name } } } }
        }
      }
    }
  }
}
`;
  }
  return collections[0] ? example(collections[0], schemas) : NOTHING;
}
