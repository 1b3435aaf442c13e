import { createHash } from 'node:crypto';
import { openApiV2, openApiV3, openApiV3Paths } from '@waygate/schema';
import { encodeJson } from '@waygate/text';
import { answerBytes } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { parseAccept } from '../http/negotiation.ts';
import type { Registry } from '../resources/registry.ts';
import { customDocumentV2, customDocumentV3 } from './custom-open-api.ts';
import { describedSchemas } from './descriptions.ts';
import { encodeOpenApi, openApiProtobufTypes } from './open-api-protobuf.ts';

const wellKnown = '.well-known/openid-configuration';

const wellKnownDocument = {
  openapi: '3.0.0',
  info: { title: 'Kubernetes', version: '1.36' },
  paths: {
    '/.well-known/openid-configuration/': { get: { responses: { 200: { description: 'OK' } } } },
  },
};

type Schemas = Readonly<Record<string, unknown>>;

interface Document {
  readonly bytes: Buffer;
  readonly hash: string;
}

function describedV2(): ReturnType<typeof openApiV2> {
  const document = openApiV2();
  return { ...document, definitions: describedSchemas(document.definitions as object as Schemas) };
}

function describedV3(document: object): object {
  const { components } = document as { components?: { schemas?: Schemas } };
  if (components?.schemas === undefined) return document;
  return {
    ...document,
    components: { ...components, schemas: describedSchemas(components.schemas) },
  };
}

/** The OpenAPI documents, v2 as a whole and v3 by API version, made when they are asked for. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #documents = new Map<string, Document>();
  #revision = -1;
  readonly #startedAt = new Date().toUTCString();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  readonly handle = (exchange: Exchange): boolean => {
    const path = exchange.info.path.replace(/\/$/, '');
    if (!path.startsWith('/openapi/')) return false;
    if (this.#revision !== this.#registry.revision) {
      this.#documents.clear();
      this.#revision = this.#registry.revision;
    }
    if (path === '/openapi/v2') {
      this.#sendWhole(exchange);
      return true;
    }
    if (path === '/openapi/v3') {
      this.#sendIndex(exchange);
      return true;
    }
    return (
      path.startsWith('/openapi/v3/') &&
      this.#sendVersion(exchange, path.slice('/openapi/v3/'.length))
    );
  };

  #sendWhole(exchange: Exchange): void {
    const make = () => customDocumentV2(describedV2(), this.#registry);
    const [first] = parseAccept(exchange.header('accept'));
    const isProtobuf = first !== undefined && openApiProtobufTypes.includes(first.type);
    const document = isProtobuf
      ? this.#document('v2 protobuf', () => encodeOpenApi(make() as Record<string, unknown>))
      : this.#document('v2', make);
    this.#send(exchange, document, {
      Vary: ['Accept-Encoding', 'Accept'],
      ...(isProtobuf ? { 'Content-Type': openApiProtobufTypes[1] as string } : {}),
    });
  }

  #sendIndex(exchange: Exchange): void {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const path of [
      ...new Set([wellKnown, ...openApiV3Paths(), ...this.#customPaths()]),
    ].sort()) {
      const document = this.#version(path);
      if (document !== undefined)
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${document.hash}` };
    }
    const bytes = Buffer.from(JSON.stringify({ paths }));
    answerBytes(exchange, 200, bytes, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Accept-Ranges': 'bytes',
      'Last-Modified': this.#startedAt,
    });
  }

  #customPaths(): string[] {
    const paths = new Set<string>();
    for (const resource of this.#registry.all()) {
      if (resource.isCustom) paths.add(`apis/${resource.group}/${resource.version}`);
    }
    return [...paths];
  }

  #version(path: string): Document | undefined {
    const known = path === wellKnown ? wellKnownDocument : openApiV3(path);
    if (known !== undefined) return this.#document(path, () => describedV3(known));
    const [, group = '', version = ''] = path.split('/');
    const resources = this.#registry.ofVersion(group, version).filter((each) => each.isCustom);
    if (resources.length === 0) return undefined;
    return this.#document(path, () => customDocumentV3(resources));
  }

  #sendVersion(exchange: Exchange, path: string): boolean {
    const document = this.#version(path);
    if (document === undefined) return false;
    const asked = exchange.query.get('hash');
    if (asked !== null && asked !== document.hash) {
      exchange.response.writeHead(301, {
        'Cache-Control': 'no-cache, private',
        'Content-Type': 'application/json',
        Etag: `"${document.hash}"`,
        Location: `/openapi/v3/${path}?hash=${document.hash}`,
        Vary: 'Accept',
      });
      exchange.response.end();
      return true;
    }
    const forever =
      asked === null
        ? {}
        : {
            'Cache-Control': 'public, immutable',
            Expires: new Date(Date.now() + 365 * 24 * 3600 * 1000)
              .toUTCString()
              .replace('GMT', 'UTC'),
          };
    this.#send(exchange, document, { Vary: 'Accept', ...forever });
    return true;
  }

  #send(exchange: Exchange, document: Document, headers: Record<string, string | string[]>): void {
    const etag = `"${document.hash}"`;
    const all = {
      'Content-Type': 'application/json',
      'Accept-Ranges': 'bytes',
      'Last-Modified': this.#startedAt,
      Etag: etag,
      ...headers,
    };
    if (exchange.header('if-none-match') === etag) {
      exchange.response.writeHead(304, all).end();
      return;
    }
    answerBytes(exchange, 200, document.bytes, all);
  }

  #document(key: string, make: () => unknown): Document {
    let document = this.#documents.get(key);
    if (document === undefined) {
      const made = make();
      const bytes = Buffer.isBuffer(made) ? made : Buffer.from(encodeJson(made));
      document = { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase() };
      this.#documents.set(key, document);
    }
    return document;
  }
}
