import { isOutOfStack } from '@waygate/text';
import { SchemaCompiler, SchemaNeeded } from './compiler.ts';
import type { JsonNode } from './json-node.ts';
import { readJson } from './json-reader.ts';
import { printProblems } from './schema-problem.ts';
import { findProblems } from './validator.ts';

/** The address that the schema of values has in messages. */
const valuesUrl = 'file:///values.schema.json';

/** Documents that a schema refers to, by their address: their text, or why there is none. */
export type SchemaDocuments = ReadonlyMap<string, string | Error>;

/** What to do about a reference to another document. */
export interface SchemaReferences {
  /** Those that were brought. */
  readonly documents?: SchemaDocuments | undefined;
  /** Told of each `urn:` that nobody knows: it takes everything. */
  readonly onUnknownUrn?: ((urn: string) => void) | undefined;
}

/**
 * What values do not meet of a schema, as Helm prints it: lines that start with `- at '/path': `, or what is
 * wrong with the schema itself. Empty when they fit.
 *
 * @throws SchemaNeeded when the schema refers to a document over the network that was not given
 */
export function describeMisfits(
  schemaText: string,
  values: JsonNode,
  references: SchemaReferences = {},
): string {
  try {
    const compiler = new SchemaCompiler({ load: (url) => load(url, references) });
    compiler.add(valuesUrl, readJson(schemaText));
    const problems = findProblems(compiler.compile(valuesUrl), values);
    return problems.length === 0 ? '' : `${printProblems(problems).slice(1)}\n`;
  } catch (error) {
    if (error instanceof SchemaNeeded) throw error;
    if (isOutOfStack(error)) return 'unable to validate schema: it nests too deeply';
    return (error as Error).message;
  }
}

function load(url: string, { documents, onUnknownUrn }: SchemaReferences): JsonNode {
  const found = documents?.get(url);
  if (found instanceof Error) throw found;
  if (found !== undefined) return readJson(found);
  if (url.startsWith('urn:')) {
    onUnknownUrn?.(url);
    return true;
  }
  if (/^https?:/.test(url)) throw new SchemaNeeded(url);
  // A chart may not read files of whoever renders it.
  if (url.startsWith('file:')) throw new Error('schemas in files of their own are not read');
  throw new Error(`no URLLoader registered for ${JSON.stringify(url)}`);
}
