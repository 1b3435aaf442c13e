import type {
  DeclarativeLists,
  JsonObject,
  KongReference,
  KongRoute,
  KongService,
  KongTarget,
  KongUpstream,
} from './entities.ts';

/** In a declarative file a foreign key may be written as a name or id, or as an object. */
export type DeclarativeReference = string | KongReference | null;

/** What a file says on itself. */
export interface DeclarativeInfo {
  readonly select_tags?: readonly string[];
  /** Values for fields that an entity of the file leaves open; they win over Kong's own defaults. */
  readonly defaults?: {
    readonly service?: KongService;
    readonly route?: KongRoute;
    readonly upstream?: KongUpstream;
    readonly target?: KongTarget;
    readonly [kind: string]:
      | JsonObject
      | KongService
      | KongRoute
      | KongUpstream
      | KongTarget
      | undefined;
  };
  /** Tags of entities of other owners that may be referred to, but are not managed. */
  readonly default_lookup_tags?: Readonly<Record<string, readonly string[]>>;
}

/**
 * A declarative configuration, as `POST /config` takes it and decK's files hold it: entities flat by
 * collection with foreign keys, or nested under their parents, or both.
 *
 * @example
 * const configuration: DeclarativeConfig = {
 *   _format_version: '3.0',
 *   services: [{ name: 'shop', host: 'shop.internal', routes: [{ name: 'shop', paths: ['/shop'] }] }],
 * };
 */
export interface DeclarativeConfig extends DeclarativeLists {
  readonly _format_version?: '1.1' | '2.1' | '3.0';
  readonly _transform?: boolean;
  readonly _comment?: string;
  readonly _ignore?: readonly unknown[];
  readonly _info?: DeclarativeInfo;
  readonly _workspace?: string;
  readonly _plugin_configs?: Readonly<Record<string, JsonObject>>;
}
