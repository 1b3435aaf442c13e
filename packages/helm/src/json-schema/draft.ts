import { isJsonMap, type JsonMap, type JsonNode } from './json-node.ts';

/** A version of the JSON Schema specification. */
export interface Draft {
  readonly version: 4 | 6 | 7 | 2019 | 2020;
  readonly url: string;
  readonly idKeyword: 'id' | '$id';
  /** Where schemas are inside a schema: `properties/*`, `allOf/[]`, `not`. */
  readonly subschemas: readonly string[];
  /** The parts of the specification that a meta-schema can choose from. */
  readonly vocabularyPrefix: string;
  readonly vocabularies: readonly string[];
  readonly usualVocabularies: readonly string[];
}

const draft4: Draft = {
  version: 4,
  url: 'http://json-schema.org/draft-04/schema',
  idKeyword: 'id',
  subschemas: [
    'definitions/*',
    'not',
    'allOf/[]',
    'anyOf/[]',
    'oneOf/[]',
    'properties/*',
    'additionalProperties',
    'patternProperties/*',
    'items',
    'items/[]',
    'additionalItems',
    'dependencies/*',
  ],
  vocabularyPrefix: '',
  vocabularies: [],
  usualVocabularies: [],
};

const draft6: Draft = {
  ...draft4,
  version: 6,
  url: 'http://json-schema.org/draft-06/schema',
  idKeyword: '$id',
  subschemas: [...draft4.subschemas, 'propertyNames', 'contains'],
};

const draft7: Draft = {
  ...draft6,
  version: 7,
  url: 'http://json-schema.org/draft-07/schema',
  subschemas: [...draft6.subschemas, 'if', 'then', 'else'],
};

const draft2019: Draft = {
  version: 2019,
  url: 'https://json-schema.org/draft/2019-09/schema',
  idKeyword: '$id',
  subschemas: [
    ...draft7.subschemas,
    '$defs/*',
    'dependentSchemas/*',
    'unevaluatedProperties',
    'unevaluatedItems',
    'contentSchema',
  ],
  vocabularyPrefix: 'https://json-schema.org/draft/2019-09/vocab/',
  vocabularies: ['core', 'applicator', 'validation', 'meta-data', 'format', 'content'],
  usualVocabularies: ['core', 'applicator', 'validation'],
};

/** The draft of schemas that name none. */
export const latestDraft: Draft = {
  version: 2020,
  url: 'https://json-schema.org/draft/2020-12/schema',
  idKeyword: '$id',
  subschemas: [...draft2019.subschemas, 'prefixItems/[]'],
  vocabularyPrefix: 'https://json-schema.org/draft/2020-12/vocab/',
  vocabularies: [
    'core',
    'applicator',
    'unevaluated',
    'validation',
    'meta-data',
    'format-annotation',
    'format-assertion',
    'content',
  ],
  usualVocabularies: ['core', 'applicator', 'unevaluated', 'validation'],
};

const drafts = [draft4, draft6, draft7, draft2019, latestDraft];

/** The draft whose meta-schema has this address. */
export function draftByUrl(url: string): Draft | undefined {
  const [address = '', fragment = ''] = url.split('#');
  if (fragment !== '') return undefined;
  const rest = address.replace(/^https?:\/\//, '');
  if (rest === 'json-schema.org/schema') return latestDraft;
  return drafts.find((draft) => draft.url.endsWith(`://${rest}`));
}

/** The address that a schema gives itself, without a fragment. */
export function idOf(draft: Draft, schema: JsonMap): string {
  if (draft.version < 2019 && schema.has('$ref')) return '';
  const id = schema.get(draft.idKeyword);
  return typeof id === 'string' ? (id.split('#')[0] ?? '') : '';
}

/** A draft, and which of its vocabularies count. */
export interface Dialect {
  readonly draft: Draft;
  readonly vocabularies?: readonly string[] | undefined;
}

export function hasVocabulary({ draft, vocabularies }: Dialect, name: string): boolean {
  if (name === 'core' || draft.version < 2019) return true;
  return (vocabularies ?? draft.usualVocabularies).includes(name);
}

/**
 * The vocabularies that a meta-schema asks for; undefined when it does not say.
 *
 * @throws Error for one that nobody knows
 */
export function vocabulariesOf(draft: Draft, url: string, meta: JsonNode): string[] | undefined {
  const asked = isJsonMap(meta) ? meta.get('$vocabulary') : undefined;
  if (draft.version < 2019 || !isJsonMap(asked)) return undefined;
  const names = new Set(['core']);
  for (const [vocabulary, isRequired] of asked) {
    if (isRequired !== true) continue;
    const name = vocabulary.startsWith(draft.vocabularyPrefix)
      ? vocabulary.slice(draft.vocabularyPrefix.length)
      : undefined;
    if (name === undefined || !draft.vocabularies.includes(name)) {
      throw new Error(
        `unsupported vocabulary ${JSON.stringify(vocabulary)} in ${JSON.stringify(url)}`,
      );
    }
    names.add(name);
  }
  return [...names];
}
