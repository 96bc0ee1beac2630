// A gateway over two subgraphs: Portico, and one with reviews of cities that this program serves.
// Arguments: Portico's URL, its anon key, the token whose role's schema is composed, and a JSON file with
// {reviews, requests}: the reviews' rows, and requests with query, variables and headers. Prints {hints, answers, fetches} as JSON; fetches are what Portico received.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { composeServices } from '@apollo/composition';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';

const [, , portico, apiKey, token, file] = process.argv;
const { reviews, requests } = JSON.parse(readFileSync(file, 'utf8'));

const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  type Query { reviews: [Review!]! review(id: ID!): Review }
  type Review @key(fields: "id") { id: ID! text: String! city: City author: Account }
  type City @key(fields: "id") { id: Int! reviews: [Review!]! }
  type Account @key(fields: "id") { id: ID! reviews: [Review!]! }
  type PageInfo @shareable { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }
`);
const shown = (each) => ({ ...each, city: { id: each.city }, author: each.author && { id: each.author } });
const schema = buildSubgraphSchema({
  typeDefs,
  resolvers: {
    Query: {
      reviews: () => reviews.map(shown),
      review: (_, { id }) => reviews.filter((each) => each.id === id).map(shown)[0],
    },
    City: { reviews: ({ id }) => reviews.filter((each) => each.city === id).map(shown) },
    Account: { reviews: ({ id }) => reviews.filter((each) => each.author === id).map(shown) },
  },
});
const server = createServer(createHandler({ schema }));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const described = await fetch(portico, {
  method: 'POST',
  headers: { apiKey, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ query: '{ _service { sdl } }' }),
}).then((response) => response.json());
const composed = composeServices([
  { name: 'portico', url: portico, typeDefs: parse(described.data._service.sdl) },
  { name: 'reviews', url: `http://127.0.0.1:${server.address().port}/`, typeDefs },
]);
if (composed.errors) {
  console.error(composed.errors.map((each) => each.message).join('\n'));
  process.exit(1);
}

const fetches = [];
class Passing extends RemoteGraphQLDataSource {
  willSendRequest({ request, context }) {
    if (request.http.url === portico) {
      fetches.push({ query: request.query, representations: request.variables?.representations?.length });
    }
    for (const [name, value] of Object.entries({ apiKey, ...context.headers })) request.http.headers.set(name, value);
  }
}
const gateway = new ApolloGateway({
  supergraphSdl: composed.supergraphSdl,
  buildService: ({ url }) => new Passing({ url }),
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});
const { executor } = await gateway.load();
const answers = [];
for (const { query, variables = {}, headers = {} } of requests) {
  answers.push(
    await executor({
      document: parse(query),
      request: { query, variables },
      queryHash: query,
      context: { headers },
      overallCachePolicy: {},
      metrics: {},
      cache: { get: async () => undefined, set: async () => {} },
      schema: gateway.schema,
      logger: console,
    }),
  );
}
await gateway.stop();
server.close();
console.log(JSON.stringify({ hints: composed.hints.map((each) => each.message), answers, fetches }));
