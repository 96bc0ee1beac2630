// What a user's application does with Apollo Client: reads pages into its cache, writes, and looks at errors.
// Arguments: the service's URL, the key in apiKey, a user's token. Prints what it saw as JSON.
import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from '@apollo/client/core';
import { relayStylePagination } from '@apollo/client/utilities';

const [, , uri, apiKey, token] = process.argv;
const cache = new InMemoryCache({
  typePolicies: {
    Note: { keyFields: ['nodeId'] },
    Query: { fields: { noteCollection: relayStylePagination(['filter', 'orderBy']) } },
  },
});
const link = new HttpLink({ uri, headers: { apiKey, Authorization: `Bearer ${token}` } });
const client = new ApolloClient({ link, cache });

const NOTE = gql`
  fragment NoteParts on Note { nodeId id body done tags createdAt category { nodeId name } shout }
`;
const PAGE = gql`
  query Page($first: Int!, $after: Cursor, $filter: NoteFilter) {
    noteCollection(first: $first, after: $after, filter: $filter, orderBy: [{ id: AscNullsLast }]) {
      totalCount
      edges { cursor node { ...NoteParts } }
      pageInfo { endCursor hasNextPage startCursor hasPreviousPage }
    }
  }
  ${NOTE}
`;
const ADD = gql`
  mutation Add($objects: [NoteInsertInput!]!) {
    insertIntoNoteCollection(objects: $objects) { affectedCount records { ...NoteParts } }
  }
  ${NOTE}
`;
const CHANGE = gql`
  mutation Change($id: Int!, $set: NoteUpdateInput!) {
    updateNoteCollection(set: $set, filter: { id: { eq: $id } }) { records { ...NoteParts } }
  }
  ${NOTE}
`;
const REMOVE = gql`
  mutation Remove($filter: NoteFilter, $atMost: Int) {
    deleteFromNoteCollection(filter: $filter, atMost: $atMost) { affectedCount records { nodeId } }
  }
`;
const NODE = gql`
  query Node($nodeId: ID!) { node(nodeId: $nodeId) { ... on Note { nodeId body } } }
`;

const seen = {};
const caught = async (name, promise) => {
  try {
    seen[name] = (await promise).data;
  } catch (error) {
    seen[name] = CombinedGraphQLErrors.is(error)
      ? error.errors.map(({ message, extensions, path }) => ({ message, code: extensions.code, path }))
      : { unexpected: String(error), status: error.statusCode, body: error.bodyText };
  }
};

await caught('added', client.mutate({
  mutation: ADD,
  variables: { objects: [1, 2, 3, 4, 5].map((n) => ({ body: `note ${n}`, tags: ['t', `${n}`], categoryId: 1 + (n % 2) })) },
}));
await caught('first', client.query({ query: PAGE, variables: { first: 2 } }));

const watched = client.watchQuery({ query: PAGE, variables: { first: 2 } });
const subscription = watched.subscribe(() => {});
const pages = () => client.readQuery({ query: PAGE, variables: { first: 2 } }).noteCollection;
while (pages().pageInfo.hasNextPage) {
  await watched.fetchMore({ variables: { after: pages().pageInfo.endCursor } });
}
seen.all = pages().edges.map(({ node }) => node.body);

const [second] = seen.added.insertIntoNoteCollection.records.slice(1);
await caught('changed', client.mutate({
  mutation: CHANGE,
  variables: { id: second.id, set: { body: 'changed', done: true, categoryId: null } },
}));
// The answer's record has the cached one's id, so that the pages read before show the change.
seen.cached = pages().edges[1].node;
await caught('node', client.query({ query: NODE, variables: { nodeId: second.nodeId } }));

await caught('tooMany', client.mutate({ mutation: REMOVE, variables: { filter: { id: { gt: 0 } } } }));
await caught('removed', client.mutate({ mutation: REMOVE, variables: { filter: { body: { like: 'note%' } }, atMost: 10 } }));
await caught('left', client.query({ query: PAGE, variables: { first: 10 }, fetchPolicy: 'network-only' }));
await caught('tooLong', client.mutate({ mutation: ADD, variables: { objects: [{ body: 'x'.repeat(41) }] } }));
await caught('notMine', client.mutate({ mutation: ADD, variables: { objects: [{ body: 'x', owner: 'somebody else' }] } }));
await caught('noCategory', client.mutate({ mutation: ADD, variables: { objects: [{ body: 'x', categoryId: 99 }] } }));
await caught('unknownField', client.query({ query: gql`{ noteCollection { edges { node { secret } } } }` }));

const stranger = new ApolloClient({ link: new HttpLink({ uri, headers: { apiKey } }), cache: new InMemoryCache() });
await caught('stranger', stranger.query({ query: gql`{ noteCollection { edges { node { id } } } }` }));
const keyless = new ApolloClient({ link: new HttpLink({ uri }), cache: new InMemoryCache() });
await caught('keyless', keyless.query({ query: gql`{ noteCollection { totalCount } }` }));

subscription.unsubscribe();
client.stop();
console.log(JSON.stringify(seen));
