// What an application does whose Apollo Client sends hashes instead of documents. Arguments: the service's URL and the
// key in apiKey. Prints the requests that went out, and the answers, as JSON.
import { createHash } from 'node:crypto';
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';

const [, , uri, apiKey] = process.argv;
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const requests = [];

const counted = async (url, options) => {
  const body = options.method === 'POST' ? JSON.parse(options.body) : Object.fromEntries(new URL(url).searchParams);
  requests.push({ method: options.method, text: body.query !== undefined, hash: JSON.stringify(body).includes('sha256Hash') });
  return fetch(url, options);
};

const answers = [];
for (const useGETForHashedQueries of [false, true]) {
  const link = new PersistedQueryLink({ sha256, useGETForHashedQueries })
    .concat(new HttpLink({ uri, headers: { apiKey }, fetch: counted }));
  const client = new ApolloClient({ link, cache: new InMemoryCache(), defaultOptions: { query: { fetchPolicy: 'no-cache' } } });
  for (let times = 0; times < 6; times += 1) {
    const query = gql`query Categories($n: Int!) { categoryCollection(first: $n) { edges { node { name } } } }`;
    const { data } = await client.query({ query, variables: { n: 2 } });
    answers.push(data.categoryCollection.edges.map(({ node }) => node.name).join(' '));
  }
  client.stop();
}
console.log(JSON.stringify({ requests, answers }));
