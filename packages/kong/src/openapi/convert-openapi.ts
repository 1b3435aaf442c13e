import { randomUUID } from 'node:crypto';
import { isStateObject, type StateObject, textsOf } from '../rewrite/state-document.ts';
import { refuseCircles } from './circular-references.ts';
import { EntityMaker } from './entity-maker.ts';
import {
  ConsumerPlugins,
  hasPlugins,
  pluginsAt,
  takeValidator,
  withPlugin,
} from './extension-plugins.ts';
import { type MadeService, makeService, serviceKey } from './kong-service.ts';
import { kongName, listOf, OpenApiDocument, refuse } from './openapi-document.ts';
import { routesOf } from './operation-routes.ts';
import { validatorFor } from './request-validator.ts';
import { goJson } from './schema-text.ts';
import { securityPlugin } from './security-plugin.ts';
import { deckNames, insoNames, type NameStyle, slug } from './slug.ts';

export interface OpenApiOptions {
  /** The tags of all entities, in the place of `x-kong-tags`. */
  readonly tags?: readonly string[];
  /** The name that all others begin with; `x-kong-name` or the title where it is not given. */
  readonly uuidBase?: string;
  /** Names as Inso makes them. */
  readonly insoCompatible?: boolean;
  readonly noId?: boolean;
  /** Make `openid-connect` plugins of the security that the document asks for. */
  readonly generateSecurity?: boolean;
  readonly ignoreSecurityErrors?: boolean;
  readonly ignoreCircularRefs?: boolean;
  readonly skipRouteByHeader?: boolean;
  /** One service for all paths, or operations, whose servers and defaults are the same. */
  readonly reuseServices?: boolean;
}

const methods = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'trace'];

/** What holds at one level of a document, and for all below it unless they say otherwise. */
interface Level {
  readonly servers: readonly StateObject[];
  readonly serviceDefaults: StateObject | undefined;
  readonly upstreamDefaults: StateObject | undefined;
  readonly routeDefaults: StateObject | undefined;
  /** Whether the level has a service of its own, and an upstream. */
  readonly ownService: boolean;
  readonly ownUpstream: boolean;
}

/** The service of a path, and what its operations take over. */
interface PathState {
  readonly level: Level;
  readonly baseName: string;
  readonly service: StateObject;
  readonly isOwnService: boolean;
  readonly plugins: StateObject[];
  readonly validator: StateObject | undefined;
}

/** Reads one document, and makes services, routes, plugins and upstreams of it. */
class OpenApiConverter {
  readonly #document: OpenApiDocument;
  readonly #options: OpenApiOptions;
  readonly #style: NameStyle;
  readonly #maker: EntityMaker;
  readonly #services: StateObject[] = [];
  readonly #upstreams: StateObject[] = [];
  readonly #consumerPlugins = new ConsumerPlugins();
  readonly #reusable = {
    path: new Map<string, StateObject>(),
    operation: new Map<string, StateObject>(),
  };
  readonly #baseName: string;

  constructor(document: OpenApiDocument, options: OpenApiOptions) {
    this.#document = document;
    this.#options = options;
    this.#style = options.insoCompatible === true ? insoNames : deckNames;
    const tags = options.tags ?? textsOf(document.root, 'x-kong-tags', 'document') ?? [];
    this.#maker = new EntityMaker(tags, options.noId !== true && options.insoCompatible !== true);
    const { info } = document.root;
    const title = isStateObject(info) ? String(info.title ?? '') : '';
    const name = [options.uuidBase ?? '', kongName(document.root), title].find((one) => one !== '');
    this.#baseName = slug(name ?? randomUUID(), this.#style);
  }

  convert(): StateObject {
    const { root } = this.#document;
    refuseCircles(this.#document, this.#options.ignoreCircularRefs === true);
    const level = this.#level(root, undefined);
    const own = this.#makeService(this.#baseName, level);
    const security = this.#security(root, undefined);
    const { validator, rest } = takeValidator(
      withPlugin(pluginsAt(this.#document, this.#maker, root, this.#baseName), security),
      undefined,
    );
    const plugins = this.#consumerPlugins.take(rest, 'service', this.#baseName);
    own.service.plugins = plugins;
    const { paths } = root;
    if (!isStateObject(paths)) refuse('must have `.paths` in the root of the document');
    for (const path of Object.keys(paths).sort()) {
      if (path.startsWith('x-')) continue;
      const item = this.#document.resolve(paths[path]);
      if (item === undefined) continue;
      const state = this.#path(path, item, level, own.service, plugins, validator);
      for (const method of methods) {
        const operation = this.#document.resolve(item[method]);
        if (operation !== undefined)
          this.#operation(path, item, method, operation, state, security);
      }
    }
    // Without servers of its own the document needs no service, unless it is the only one.
    const isNeeded = level.servers.length > 0 || this.#services.length === 1;
    const consumerPlugins = this.#consumerPlugins.list();
    return {
      _format_version: '3.0',
      services: isNeeded ? this.#services : this.#services.slice(1),
      upstreams: this.#upstreams,
      ...(consumerPlugins.length === 0 ? {} : { plugins: consumerPlugins }),
    };
  }

  #level(owner: StateObject, above: Level | undefined): Level {
    const directive = (key: string) => this.#document.directive(owner, key);
    const serviceDefaults = directive('x-kong-service-defaults');
    const upstreamDefaults = directive('x-kong-upstream-defaults');
    const servers = listOf(owner, 'servers').filter(isStateObject);
    const ownUpstream = upstreamDefaults !== undefined || servers.length > 0;
    return {
      servers: servers.length > 0 ? servers : (above?.servers ?? []),
      serviceDefaults: serviceDefaults ?? above?.serviceDefaults,
      upstreamDefaults: upstreamDefaults ?? above?.upstreamDefaults,
      routeDefaults: directive('x-kong-route-defaults') ?? above?.routeDefaults,
      ownService: serviceDefaults !== undefined || ownUpstream,
      ownUpstream,
    };
  }

  /** Makes the service of a level; `upper` is the service whose upstream is used when there is one. */
  #makeService(baseName: string, level: Level, upper?: StateObject): MadeService {
    const { servers, serviceDefaults, upstreamDefaults } = level;
    const made = makeService(this.#maker, baseName, servers, serviceDefaults, upstreamDefaults);
    this.#services.push(made.service);
    if (made.upstream === undefined) return made;
    if (upper === undefined || level.ownUpstream) this.#upstreams.push(made.upstream);
    else made.service.host = upper.host;
    return made;
  }

  /** The service of an equal level that was made before, where services may be used again. */
  #reused(kind: 'path' | 'operation', level: Level): StateObject | undefined {
    return this.#options.reuseServices === true
      ? this.#reusable[kind].get(this.#key(level))
      : undefined;
  }

  #key({ servers, serviceDefaults, upstreamDefaults }: Level): string {
    return serviceKey(servers, serviceDefaults, upstreamDefaults);
  }

  #security(owner: StateObject, inherited: StateObject | undefined): StateObject | undefined {
    if (this.#options.generateSecurity !== true) return undefined;
    const ignores = this.#options.ignoreSecurityErrors === true;
    return securityPlugin(this.#document, owner, inherited, ignores);
  }

  #path(
    path: string,
    item: StateObject,
    above: Level,
    documentService: StateObject,
    documentPlugins: readonly StateObject[],
    documentValidator: StateObject | undefined,
  ): PathState {
    const level = this.#level(item, above);
    const given = kongName(item);
    // A path with and one without a slash at its end have the same words.
    const end = given === '' && path.endsWith('/') && this.#style === deckNames ? '~' : '';
    const name = `${slug(given === '' ? path : given, this.#style)}${end}`;
    const baseName = this.#join(this.#baseName, name);
    const mayShare = level.ownService && !hasPlugins(item);
    const shared = mayShare ? this.#reused('path', level) : undefined;
    const isNew = level.ownService && shared === undefined;
    const listed = pluginsAt(
      this.#document,
      this.#maker,
      item,
      baseName,
      isNew ? documentPlugins : [],
    );
    const { validator, rest } = takeValidator(listed, documentValidator);
    if (!isNew) {
      const service = shared ?? documentService;
      return { level, baseName, service, isOwnService: false, plugins: rest, validator };
    }
    const { service } = this.#makeService(baseName, level, documentService);
    service.plugins = this.#consumerPlugins.take(rest, 'service', baseName);
    if (mayShare) this.#reusable.path.set(this.#key(level), service);
    return { level, baseName, service, isOwnService: true, plugins: [], validator };
  }

  #join(...parts: readonly string[]): string {
    return parts.filter((part) => part !== '').join(this.#style.joint);
  }

  #operationName(operation: StateObject, method: string, path: PathState): string {
    const given = kongName(operation);
    if (given !== '') {
      const above = this.#style === insoNames ? this.#baseName : path.baseName;
      return `${above}${this.#style.joint}${slug(given, this.#style)}`;
    }
    const id = String(operation.operationId ?? '');
    return id === ''
      ? `${path.baseName}${this.#style.joint}${method}`
      : `${this.#baseName}${this.#style.joint}${slug(id, this.#style)}`;
  }

  #operation(
    path: string,
    item: StateObject,
    method: string,
    operation: StateObject,
    state: PathState,
    documentSecurity: StateObject | undefined,
  ): void {
    const baseName = this.#operationName(operation, method, state);
    const level = this.#level(operation, state.level);
    const service = this.#operationService(baseName, level, state);
    const at = (owner: StateObject, inherited: readonly StateObject[]) =>
      pluginsAt(this.#document, this.#maker, owner, baseName, inherited);
    // A service of an operation has no plugins: all that apply are on its routes.
    const above = level.ownService ? at(item, at(this.#document.root, [])) : state.plugins;
    let plugins = at(operation, above);
    const security = this.#security(operation, documentSecurity);
    if (goJson(security ?? null) !== goJson(documentSecurity ?? null)) {
      plugins = withPlugin(plugins, security);
    }
    const parameters = this.#parameters(operation, item);
    const { validator: wanted, rest } = takeValidator(plugins, state.validator);
    const validator = validatorFor(this.#document, this.#maker, this.#style, wanted, {
      operation,
      parameters,
      baseName,
    });
    const own = this.#consumerPlugins.take(withPlugin(rest, validator), 'route', baseName);
    const routed = {
      path,
      method: method.toUpperCase(),
      baseName,
      defaults: level.routeDefaults,
      plugins: own,
      parameters,
    };
    const splits = this.#options.skipRouteByHeader !== true;
    const routes = routesOf(this.#document, this.#maker, this.#style, routed, splits);
    (service.routes as StateObject[]).push(...routes);
  }

  #operationService(baseName: string, level: Level, state: PathState): StateObject {
    if (!level.ownService) return state.service;
    const shared = this.#reused('operation', level);
    if (shared !== undefined) return shared;
    const { service } = this.#makeService(baseName, level, state.service);
    if (this.#options.reuseServices === true) {
      this.#reusable.operation.set(this.#key(level), service);
    }
    return service;
  }

  /** The parameters of a path and of its operation, which has its way where both have the same. */
  #parameters(operation: StateObject, item: StateObject): StateObject[] {
    const read = (owner: StateObject): StateObject[] =>
      listOf(owner, 'parameters')
        .map((one) => this.#document.resolve(one))
        .filter(isStateObject);
    const own = read(operation);
    const key = ({ in: place, name }: StateObject): string =>
      `${String(place)} ${place === 'header' ? String(name).toLowerCase() : String(name)}`;
    const keys = new Set(own.map(key));
    const isOwn = (one: StateObject): boolean => keys.has(key(one));
    return [...read(item).filter((one) => !isOwn(one)), ...own];
  }
}

/**
 * A declarative file for the API that an OpenAPI document describes: a service for its servers, a
 * route for each operation, plugins where directives (`x-kong-plugin-…`) ask for them. The ids
 * follow from the names, so that a document that is converted again changes what it made before.
 *
 * ```ts
 * const api = 'openapi: 3.0.0\ninfo: {title: Shop}\nservers: [{url: "https://shop"}]\npaths: {}';
 * convertOpenApi(api, 'shop.yaml').services; // [{ name: 'shop', host: 'shop', port: 443, … }]
 * ```
 */
export function convertOpenApi(
  text: string,
  file: string,
  options: OpenApiOptions = {},
): StateObject {
  return new OpenApiConverter(new OpenApiDocument(text, file), options).convert();
}
