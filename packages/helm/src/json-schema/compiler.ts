import { type Dialect, type Draft, draftByUrl, latestDraft, vocabulariesOf } from './draft.ts';
import { isJsonMap, type JsonNode } from './json-node.ts';
import { readJson } from './json-reader.ts';
import { pointerBelow, readKeywords } from './keywords.ts';
import { metaSchemaText } from './meta-schemas.ts';
import type { Schema } from './schema.ts';
import { joinUrl, locationOf, type Resource, SchemaDocument } from './schema-document.ts';
import { printProblems } from './schema-problem.ts';
import { findProblems } from './validator.ts';

/** A schema of another document was asked for, and has not been brought yet. */
export class SchemaNeeded extends Error {
  readonly url: string;

  constructor(url: string) {
    super(`the schema ${url} is needed`);
    this.url = url;
  }
}

interface CompilerOptions {
  /**
   * The document at an address that is no meta-schema's.
   *
   * @throws Error with why there is none
   */
  readonly load: (url: string) => JsonNode;
  /** Meta-schemas' formats count, whatever their draft says of formats. */
  readonly assertsFormats?: boolean;
}

/** Makes schemas ready. Errors are worded as Helm's library words them. */
export class SchemaCompiler {
  readonly #options: CompilerOptions;
  readonly #documents = new Map<string, SchemaDocument>();
  readonly #schemas = new Map<string, Schema>();
  /** Not made ready yet: compiling one may find more. */
  readonly #queue: Schema[] = [];

  constructor(options: CompilerOptions) {
    this.#options = options;
  }

  /**
   * Adds a document under an address.
   *
   * @throws Error when it is no schema by its own draft
   */
  add(url: string, root: JsonNode): SchemaDocument {
    const document = new SchemaDocument(
      url,
      root,
      { draft: latestDraft },
      {
        draftOf: (schema, fallback, place) => this.#draftOf(schema, fallback, place, new Set()),
        dialectOf: (schema, draft) => this.#dialectOf(schema, draft),
      },
    );
    if (metaSchemaText(url) === undefined) this.#checkAgainstMeta(document, root, '');
    this.#documents.set(url, document);
    return document;
  }

  /** The schema at an address, with all that it leads to. */
  compile(url: string, fragment = ''): Schema {
    const document = this.#document(url);
    const pointer = document.resolveIn(document.resources.get('')!, fragment);
    const schema = this.#schemaAt(url, pointer);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#makeReady(next);
    }
    return schema;
  }

  #document(url: string): SchemaDocument {
    return this.#documents.get(url) ?? this.add(url, this.#load(url));
  }

  #load(url: string): JsonNode {
    const known = this.#documents.get(url)?.root;
    if (known !== undefined) return known;
    const meta = metaSchemaText(url);
    if (meta !== undefined) return readJson(meta);
    try {
      return this.#options.load(url);
    } catch (cause) {
      if (cause instanceof SchemaNeeded) throw cause;
      throw new Error(`failing loading ${JSON.stringify(url)}: ${(cause as Error).message}`, {
        cause,
      });
    }
  }

  #draftOf(schema: JsonNode, fallback: Draft, place: string, seen: Set<string>): Draft {
    const named = isJsonMap(schema) ? schema.get('$schema') : undefined;
    if (typeof named !== 'string') return fallback;
    const draft = draftByUrl(named);
    if (draft !== undefined) return draft;
    const url = named.split('#')[0] ?? '';
    if (place === `${url}#`) throw new Error(`draft ${JSON.stringify(url)} is not supported`);
    if (seen.has(url)) throw new Error(`cycle in resolving $schema in ${JSON.stringify(url)}`);
    seen.add(url);
    return this.#draftOf(this.#load(url), fallback, `${url}#`, seen);
  }

  #dialectOf(schema: JsonNode, draft: Draft): Dialect {
    const named = isJsonMap(schema) ? schema.get('$schema') : undefined;
    if (typeof named !== 'string' || draftByUrl(named) !== undefined) return { draft };
    const url = named.split('#')[0] ?? '';
    return { draft, vocabularies: vocabulariesOf(draft, url, this.#load(url)) };
  }

  #schemaAt(url: string, pointer: string): Schema {
    const key = `${url}#${pointer}`;
    const known = this.#schemas.get(key);
    if (known !== undefined) return known;
    const schema: Schema = {
      location: locationOf(url, pointer),
      url,
      pointer,
      draft: 0,
      resource: undefined,
      dynamicAnchors: new Map(),
      isAllPropertiesEvaluated: false,
      isAllItemsEvaluated: false,
      evaluatedItems: 0,
    };
    this.#schemas.set(key, schema);
    this.#queue.push(schema);
    return schema;
  }

  #makeReady(schema: Schema): void {
    const { url, pointer } = schema;
    const document = this.#document(url);
    const { isNew, node } = document.ensure(pointer);
    if (isNew) this.#checkAgainstMeta(document, node, pointer);
    const resource = document.resourceAt(pointer);
    schema.draft = resource.dialect.draft.version;
    schema.resource = this.#schemaAt(url, resource.pointer);
    if (schema.draft >= 2020 && resource.pointer === pointer) {
      for (const anchor of resource.dynamicAnchors) {
        schema.dynamicAnchors.set(anchor, this.#schemaAt(url, resource.anchors.get(anchor)!));
      }
    }
    if (typeof node === 'boolean') schema.always = node;
    else if (isJsonMap(node) && node.size === 0) schema.always = true;
    else if (isJsonMap(node)) this.#readKeywords(schema, node, document, resource);
    const isSplit = schema.draft < 2020 && schema.prefixItems !== undefined;
    schema.isAllPropertiesEvaluated = schema.additionalProperties !== undefined;
    schema.isAllItemsEvaluated = isSplit
      ? schema.additionalItems !== undefined
      : schema.items !== undefined;
    schema.evaluatedItems = schema.prefixItems?.length ?? 0;
  }

  #readKeywords(
    schema: Schema,
    node: ReadonlyMap<string, JsonNode>,
    document: SchemaDocument,
    resource: Resource,
  ): void {
    const { url, pointer } = schema;
    readKeywords(schema, {
      node,
      dialect: resource.dialect,
      assertsFormats: this.#options.assertsFormats === true,
      at: (...parts) => this.#schemaAt(url, pointerBelow(pointer, parts)),
      follow: (reference) => this.#follow(reference, document, resource),
      place: (keyword) => `${locationOf(url, pointer)}/${keyword}`,
    });
  }

  #follow(reference: string, document: SchemaDocument, resource: Resource): Schema {
    const [address = '', ...rest] = reference.split('#');
    const fragment = decodeFragment(rest.join('#'), reference);
    const url = joinUrl(resource.id, address);
    const local = document.resolve(url, fragment);
    if (local !== undefined) return this.#schemaAt(document.url, local);
    const other = this.#document(url);
    return this.#schemaAt(url, other.resolveIn(other.resources.get('')!, fragment));
  }

  #checkAgainstMeta(document: SchemaDocument, node: JsonNode, pointer: string): void {
    if (metaSchemaText(document.url) !== undefined) return;
    const { draft } = document.resourceAt(pointer).dialect;
    const meta = metaSchemaOf(draft);
    const problems = findProblems(meta, node);
    if (problems.length === 0) return;
    const place = JSON.stringify(locationOf(document.url, pointer));
    throw new Error(
      `${place} is not valid against metaschema: jsonschema validation failed with '${meta.location}'${printProblems(problems)}`,
    );
  }
}

function decodeFragment(fragment: string, reference: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (cause) {
    const wrong = /%.{0,2}/.exec(fragment)?.[0] ?? '';
    throw new Error(
      `error in parsing ${JSON.stringify(reference)}: invalid URL escape ${JSON.stringify(wrong)}`,
      { cause },
    );
  }
}

const metaSchemas = new Map<Draft, Schema>();

/** The meta-schema of a draft, made ready once. */
function metaSchemaOf(draft: Draft): Schema {
  const known = metaSchemas.get(draft);
  if (known !== undefined) return known;
  const compiler = new SchemaCompiler({
    load: (url) => {
      throw new Error(`no such meta-schema: ${url}`);
    },
    assertsFormats: true,
  });
  const made = compiler.compile(draft.url);
  metaSchemas.set(draft, made);
  return made;
}
