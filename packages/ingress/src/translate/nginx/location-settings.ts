import type { Ingress } from '../../objects/ingress.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { PluginEntity } from '../kong-state.ts';
import type { AnnotationReader } from './annotation-reader.ts';
import type { ResolvedNginxOptions } from './options.ts';
import { type PathSettings, parsePaths } from './paths.ts';
import { type ProxySettings, parseProxying } from './proxying.ts';
import type { NginxSettings } from './settings.ts';

/** What the annotations of an Ingress say on each of its locations. */
export interface LocationSettings {
  readonly paths: PathSettings;
  readonly proxy: ProxySettings;
  /** Further names of the Ingress's hosts. */
  readonly aliases: readonly string[];
  /** Why requests are refused with 503. */
  readonly denied: string | undefined;
  /** Plugins that are alike for all locations of the Ingress. */
  readonly plugins: readonly PluginEntity[];
}

/** Reads all groups of annotations. What is wrong is noted in the reader. */
export function parseLocation(
  _ingress: Ingress,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
  _options: ResolvedNginxOptions,
): LocationSettings {
  return {
    paths: parsePaths(read, settings),
    proxy: parseProxying(read, settings, reader),
    aliases: read.list('server-alias') ?? [],
    denied: read.denied,
    plugins: [],
  };
}

/** Without any annotation, for the server that no Ingress made. */
export function plainLocation(
  settings: NginxSettings,
  reader: ObjectReader,
  read: AnnotationReader,
) {
  return {
    paths: { ...parsePaths(read, settings), sslRedirect: 'never' as const },
    proxy: parseProxying(read, settings, reader),
    aliases: [],
    denied: undefined,
    plugins: [],
  };
}
