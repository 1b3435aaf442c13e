import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject } from '../entity/entities.ts';
import { changePlugins } from './change-plugins.ts';
import { findLegacyPaths } from './convert-config.ts';

/** What decK says of a file by a code, and is then a warning or an error. */
const severities = {
  'oidc-missing-required-config': 'error',
  'rla-consumer-groups-deprecated': 'error',
  'route-regex-path-format': 'warning',
} as const satisfies Readonly<Record<string, 'error' | 'warning'>>;

export type DiagnosticCode = keyof typeof severities;

/** One thing that a file is likely wrong in. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Which codes are errors, and which are warnings, whatever they are by themselves. */
export interface DiagnosticPolicy {
  readonly errors?: readonly DiagnosticCode[];
  readonly warnings?: readonly DiagnosticCode[];
}

/**
 * The codes of a comma-separated list; a code that there is not is a problem.
 *
 * ```ts
 * parseDiagnosticCodes('route-regex-path-format').codes; // ['route-regex-path-format']
 * parseDiagnosticCodes('no-such-code').codes; // []
 * ```
 */
export function parseDiagnosticCodes(text: string): {
  readonly codes: readonly DiagnosticCode[];
  readonly problem?: string;
} {
  const names = text.split(',').map((part) => part.trim());
  const given = [...new Set(names.filter((name) => name !== ''))];
  const unknown = given.find((name) => !Object.hasOwn(severities, name));
  if (unknown === undefined) return { codes: given as readonly DiagnosticCode[] };
  const known = Object.keys(severities).join(', ');
  return { codes: [], problem: `unknown diagnostic code: ${unknown} (there are ${known})` };
}

/** Whether a plugin counts for consumer groups in its own configuration, as before Kong Enterprise 3.4. */
function namesGroups(config: JsonObject): boolean {
  return config.enforce_consumer_groups === true || Array.isArray(config.consumer_groups);
}

/**
 * What a file is likely wrong in, for a Kong of a version.
 *
 * ```ts
 * findDiagnostics({ routes: [{ name: 'a', paths: ['/a/\\d+'] }] }, '3.9.1')[0]?.code; // 'route-regex-path-format'
 * ```
 */
export function findDiagnostics(
  config: DeclarativeConfig,
  version: string,
  { errors = [], warnings = [] }: DiagnosticPolicy = {},
): readonly Diagnostic[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const found: [DiagnosticCode, string][] = [];
  if (major >= 3) {
    for (const path of findLegacyPaths(config)) found.push(['route-regex-path-format', path]);
  }
  changePlugins(
    config,
    (name, plugin) => {
      const isDeprecated = name === 'rate-limiting-advanced' && namesGroups(plugin);
      if (isDeprecated && (major > 3 || (major === 3 && minor >= 4))) {
        found.push([
          'rla-consumer-groups-deprecated',
          'building state: a rate-limiting-advanced plugin with config.consumer_groups\n' +
            'and/or config.enforce_consumer_groups was found. Give the plugin to the consumer group instead,\n' +
            'as Kong Enterprise 3.4 and above have it',
        ]);
      }
      if (name === 'openid-connect' && plugin.issuer === undefined) {
        found.push([
          'oidc-missing-required-config',
          'plugin openid-connect: config.issuer is missing',
        ]);
      }
      return plugin;
    },
    [],
  );
  return found.map(([code, message]) => {
    const own = severities[code];
    const lowered = warnings.includes(code) ? 'warning' : own;
    return { code, message, severity: errors.includes(code) ? 'error' : lowered };
  });
}
