import { createHash } from 'node:crypto';
import { type FieldErrors, type JsonObject, parseKongYaml } from '@waygate/kong';
import { isObject, printYaml } from '@waygate/text';
import type { AdminApiOptions } from './admin-api.ts';
import { type AdminRequest, type AdminResponse, message, ok } from './admin-message.ts';
import { parseBody } from './body-parser.ts';
import type { CheckedEntities } from './declarative/checked-entities.ts';
import {
  type DeclarativeErrorBody,
  flattenedErrorBody,
  nestedErrorBody,
  plainErrorBody,
} from './declarative/declarative-error.ts';
import { declarableKinds } from './declarative/declared-entity.ts';
import type { DeclaredProblem } from './declarative/declared-problem.ts';
import {
  type LoadOptions,
  type LoadResult,
  loadDeclarative,
  loadInTurns,
} from './declarative/load-declarative.ts';
import type { Methods } from './endpoint-table.ts';

const emptyHash = '0'.repeat(32);
const onlyWithoutDatabase = message(
  400,
  'this endpoint is only available when Kong is configured to not use a database',
);

/** A document as it came: parsed, and as the text that it was, if it was one. */
interface Received {
  readonly document: JsonObject;
  readonly text: string | undefined;
}

/** `/config`: the whole configuration of a DB-less gateway at once, or not at all. */
export class ConfigEndpoint {
  readonly #options: AdminApiOptions;
  #hash = emptyHash;
  #textHash: string | undefined;
  #checked: CheckedEntities | undefined;
  /** Documents are put in place one after the other, in the order in which they came. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: AdminApiOptions) {
    this.#options = options;
  }

  /** Of what is in place; zeros while that is empty. */
  get hash(): string {
    return this.#hash;
  }

  get methods(): Methods {
    return {
      GET: () => (this.#isDbless ? ok({ config: this.#dump() }) : onlyWithoutDatabase),
      POST: (request) => (this.#isDbless ? this.#postInTurn(request) : onlyWithoutDatabase),
    };
  }

  /** Puts a document in place; returns what is wrong with it, if anything. */
  configure(document: JsonObject): string | undefined {
    const result = loadDeclarative(document, this.#loadOptions());
    if (result.kind === 'invalid') return nestedErrorBody(result.problems, result.fields).message;
    this.#put(result, document, undefined);
    return undefined;
  }

  get #isDbless(): boolean {
    return this.#options.mode === 'dbless';
  }

  #postInTurn(request: AdminRequest): Promise<AdminResponse> {
    const answer = this.#turn.then(() => this.#post(request));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async #post(request: AdminRequest): Promise<AdminResponse> {
    const parameters = new URLSearchParams(request.query);
    const received = this.#receive(request, parameters);
    if ('status' in received) return received;
    const { document, text } = received;
    if (
      parameters.get('check_hash') === '1' &&
      text !== undefined &&
      md5(text) === this.#textHash
    ) {
      return { status: 304 };
    }
    const result = await loadInTurns(document, this.#loadOptions());
    if (result.kind === 'invalid') {
      const isFlat = ['1', 'true'].includes(parameters.get('flatten_errors') ?? '');
      return refused(isFlat ? flat(result) : nestedErrorBody(result.problems, result.fields));
    }
    this.#put(result, document, text);
    const body: Record<string, Record<string, unknown>> = {};
    for (const [collection, entity] of result.entities) {
      body[collection] ??= {};
      body[collection][String(entity.id)] = entity;
    }
    return { status: 201, body };
  }

  #loadOptions(): LoadOptions {
    const { source, validation } = this.#options;
    return { validation, store: source.createStore(), before: this.#checked };
  }

  #put(
    result: LoadResult & { readonly kind: 'loaded' },
    document: JsonObject,
    text: string | undefined,
  ): void {
    const { source, onReplaced } = this.#options;
    const differences = source.replace(result.store);
    this.#checked = result.checked;
    this.#textHash = text === undefined ? undefined : md5(text);
    this.#hash = result.entities.length === 0 ? emptyHash : md5(text ?? JSON.stringify(document));
    onReplaced(differences);
  }

  /** Reads JSON, a form with a `config` field, or YAML. */
  #receive(request: AdminRequest, parameters: URLSearchParams): Received | AdminResponse {
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (/^(text|application)\/(x-)?yaml$/.test(type)) {
      return parseText(request.body.toString('utf8'));
    }
    const parsed = parseBody(request);
    if (parsed.kind === 'error') {
      const isArray = type === 'application/json' && request.body.toString('utf8').trim() === '[]';
      return isArray ? { document: {}, text: undefined } : parsed.response;
    }
    if (request.body.length === 0) return message(400, 'expected a declarative configuration');
    const { config, ...rest } = parsed.body as { readonly config?: unknown };
    for (const name of ['check_hash', 'flatten_errors']) {
      const value = (rest as JsonObject)[name];
      if (config !== undefined && value !== undefined && !parameters.has(name)) {
        parameters.set(name, String(value));
      }
    }
    if (config === undefined) return { document: parsed.body, text: undefined };
    if (typeof config === 'object' && config !== null) {
      return refused(plainErrorBody('failed parsing declarative configuration: expected a string'));
    }
    return parseText(String(config));
  }

  #dump(): string {
    const document: Record<string, unknown> = { _format_version: '3.0', _transform: false };
    const { source } = this.#options;
    const names = declarableKinds.map((kind) => kind.collection).sort();
    for (const name of names) {
      // The names of a certificate are entities of their own here, as Kong writes it.
      const isNamed = name === 'certificates';
      const entities = [...source.list(name)].map((entity) =>
        foreignKeysAsIds(isNamed ? { ...entity, snis: null } : entity),
      );
      if (entities.length > 0) document[name] = entities;
    }
    return printYaml(document, { keys: 'given', leaves: 'kong' });
  }
}

function foreignKeysAsIds(entity: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(entity).map(([name, value]) => {
      const isReference = isObject(value) && name !== 'config';
      const keys = isReference ? Object.keys(value) : [];
      return [name, keys.length === 1 && keys[0] === 'id' ? (value as JsonObject).id : value];
    }),
  ) as JsonObject;
}

function flat(result: {
  problems: readonly DeclaredProblem[];
  fields: FieldErrors;
}): DeclarativeErrorBody {
  return flattenedErrorBody(result.problems, result.fields);
}

function refused(body: DeclarativeErrorBody): AdminResponse {
  return { status: 400, body };
}

function parseText(text: string): Received | AdminResponse {
  const parsed = parseKongYaml(text);
  if (!parsed.isValid) {
    return refused(plainErrorBody(`failed parsing declarative configuration: ${parsed.message}`));
  }
  const { value } = parsed;
  if (!isObject(value)) {
    return refused(plainErrorBody('failed parsing declarative configuration: expected an object'));
  }
  return { document: value as JsonObject, text };
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
