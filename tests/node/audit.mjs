// The audit of GraphQL over HTTP that its working group keeps: node audit.mjs <url> <anon key>
// Prints the ids of all audits, and what those say that were not met.
import { serverAudits } from 'graphql-http';

const [, , url, anonKey] = process.argv;
const fetchFn = (to, options = {}) => fetch(to, { ...options, headers: { ...options.headers, apikey: anonKey } });
const results = [];
for (const audit of serverAudits({ url, fetchFn })) results.push({ name: audit.name, ...(await audit.fn()) });
console.log(JSON.stringify({
  audits: results.map(({ id }) => id),
  unmet: results.filter(({ status }) => status !== 'ok').map(({ status, name, reason }) => `${status}: ${name}: ${reason}`),
}));
