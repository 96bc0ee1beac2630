// An example for each collection of a schema, which can be run at once.

import { getNamedType, isEnumType, isObjectType, isScalarType, type GraphQLObjectType, type GraphQLSchema } from "graphql";
import { nodeOf } from "../schemas";

export interface Example {
  name: string;
  query: string;
}

const FIELDS = 5;

/** The collections of a schema, by the names of their root fields, with the types of their rows. */
function collections(schema: GraphQLSchema): { field: string; node: GraphQLObjectType }[] {
  const found = [];
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const node = nodeOf(getNamedType(field.type));
    if (node) found.push({ field: field.name, node });
  }
  return found;
}

export function examples(schema: GraphQLSchema): Example[] {
  return collections(schema).map(({ field, node }) => ({ name: node.name, query: example(field, node) }));
}

function example(field: string, node: GraphQLObjectType): string {
  const plain = Object.values(node.getFields()).filter((each) => {
    const type = getNamedType(each.type);
    return each.name !== "nodeId" && (isScalarType(type) || isEnumType(type)) && each.args.length === 0;
  });
  const names = plain.slice(0, FIELDS).map((each) => each.name);
  if (!names.length) names.push("__typename");
  const related = Object.values(node.getFields()).find((each) => {
    const type = getNamedType(each.type);
    return isObjectType(type) && !nodeOf(type) && "nodeId" in type.getFields();
  });
  if (related) {
    const fields = Object.values((getNamedType(related.type) as GraphQLObjectType).getFields());
    const told = fields.find((each) => each.name === "name") ?? fields.find((each) => each.name !== "nodeId" && isScalarType(getNamedType(each.type)));
    names.push(`${related.name} { ${told?.name ?? "__typename"} }`);
  }
  return `{\n  ${field}(first: 10) {\n    edges {\n      node {\n${names.map((each) => `        ${each}\n`).join("")}      }\n    }\n    pageInfo { hasNextPage endCursor }\n  }\n}\n`;
}

/** What a visitor is greeted with: the demonstration's question if the schema has it, else the first example. */
export function greeting(schema: GraphQLSchema): string {
  const fields = schema.getQueryType()?.getFields() ?? {};
  if (fields["cityCollection"] && fields["countryCollection"]) {
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
  return examples(schema)[0]?.query ?? "{\n  __typename\n}\n";
}
