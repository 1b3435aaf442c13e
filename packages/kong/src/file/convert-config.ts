import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { DeclarativeRoute } from '../entity/entities.ts';

export interface Conversion {
  readonly config: DeclarativeConfig;
  /** What was changed, one line each. */
  readonly changes: readonly string[];
}

/** A path of Kong 2.x that is a regular expression: Kong 3.x wants a `~` in front of those. */
function isRegexPath(path: string): boolean {
  return path.startsWith('/') && !/^[a-zA-Z0-9._~/%-]*$/.test(path);
}

function convertRoute(
  route: DeclarativeRoute,
  isRegex: (path: string) => boolean,
  changes: string[],
): DeclarativeRoute {
  if (!Array.isArray(route.paths)) return route;
  const paths = (route.paths as readonly string[]).map((path) => {
    if (!isRegex(path)) return path;
    changes.push(
      `route ${route.name ?? route.id}: ${path} is a regular expression, and becomes ~${path}`,
    );
    return `~${path}`;
  });
  return { ...route, paths };
}

/**
 * Turns a configuration for Kong 2.x into one for 3.x: the version of the format, and paths that are
 * regular expressions, of routes nested in services and of those at the top.
 *
 * ```ts
 * convertToVersion3({ _format_version: '1.1' }).changes; // ['_format_version: 1.1 becomes 3.0']
 * ```
 */
export function convertToVersion3(
  config: DeclarativeConfig,
  isRegex: (path: string) => boolean = isRegexPath,
): Conversion {
  const changes: string[] = [];
  const version = config._format_version ?? '1.1';
  if (version !== '3.0') changes.push(`_format_version: ${version} becomes 3.0`);
  const routes = config.routes?.map((route) => convertRoute(route, isRegex, changes));
  const services = config.services?.map((service) =>
    service.routes === undefined
      ? service
      : {
          ...service,
          routes: service.routes.map((route) => convertRoute(route, isRegex, changes)),
        },
  );
  return {
    config: {
      ...config,
      _format_version: '3.0',
      ...(services === undefined ? {} : { services }),
      ...(routes === undefined ? {} : { routes }),
    },
    changes,
  };
}

/**
 * The paths that a Kong of version 3 would no longer take for regular expressions. Kong 2 took every letter
 * beyond ASCII for a sign of one; nobody who writes such a path today means one.
 *
 * ```ts
 * findLegacyPaths({ _format_version: '3.0', routes: [{ name: 'a', paths: ['/a/\\d+'] }] }).length; // 1
 * ```
 */
export function findLegacyPaths(config: DeclarativeConfig): readonly string[] {
  const meant = /[\\^$|?*+()[\]{}]/;
  return convertToVersion3(config, (path) => isRegexPath(path) && meant.test(path)).changes.filter(
    (change) => change.startsWith('route '),
  );
}

/**
 * Why a Kong of a version takes no file of a format; undefined when it does.
 *
 * ```ts
 * findFormatProblem({ _format_version: '1.1' }, '2.8.0'); // undefined
 * ```
 */
export function findFormatProblem(config: DeclarativeConfig, version: string): string | undefined {
  const isOld = config._format_version === '1.1' && Number.parseInt(version, 10) >= 3;
  return isOld
    ? `cannot apply '1.1' config format version to Kong version 3.0 or above (this is ${version})`
    : undefined;
}
