// Composes subgraphs. Argument: a JSON file with lists of schemas. Prints for each list the errors and hints as JSON.
import { readFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';

const [, , file] = process.argv;
const composed = JSON.parse(readFileSync(file, 'utf8')).map((schemas) =>
  composeServices(schemas.map((sdl, index) => ({ name: `subgraph${index}`, typeDefs: parse(sdl) }))),
);
const messages = (found) => (found ?? []).map((each) => each.message);
console.log(JSON.stringify(composed.map(({ errors, hints }) => ({ errors: messages(errors), hints: messages(hints) }))));
