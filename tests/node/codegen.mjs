// The plugins of a code generator's configuration, without its command line: node codegen.mjs <configuration> <documents>
// Prints what it makes of the first output.
import { readFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';

const [, , path, documents] = process.argv;
const configuration = JSON.parse(readFileSync(path, 'utf8'));
const [[filename, { plugins, config }]] = Object.entries(configuration.generates);
console.log(await codegen({
  filename,
  schema: parse(readFileSync(configuration.schema, 'utf8')),
  documents: [{ location: documents, document: parse(readFileSync(documents, 'utf8')) }],
  config,
  plugins: plugins.map((name) => ({ [name]: {} })),
  pluginMap: { 'typescript-operations': operations },
}));
