import type { AnnotationReader } from './annotation-reader.ts';
import type { NginxSettings } from './settings.ts';

/** How requests of a location are rewritten or sent elsewhere. */
export interface PathSettings {
  readonly rewriteTarget?: string;
  readonly usesRegex: boolean;
  readonly appRoot?: string;
  readonly forwardedPrefix?: string;
  readonly redirect?: { readonly status: number; readonly url: string };
  readonly hasRelativeRedirects: boolean;
  readonly sslRedirect: 'never' | 'with certificate' | 'always';
  readonly keepsTrailingSlash: boolean;
  readonly hasPortInRedirects: boolean;
  readonly redirectsFromToWww: boolean;
}

export function parsePaths(read: AnnotationReader, settings: NginxSettings): PathSettings {
  const rewriteTarget = read.text('rewrite-target');
  const forwardedPrefix = read.text('x-forwarded-prefix');
  const appRoot = parseAppRoot(read);
  const redirect = parseRedirect(read);
  const isForced = read.bool('force-ssl-redirect') ?? settings.bool('force-ssl-redirect');
  const isOn = read.bool('ssl-redirect') ?? settings.bool('ssl-redirect');
  return {
    ...(rewriteTarget !== undefined && { rewriteTarget }),
    usesRegex: read.bool('use-regex') ?? false,
    ...(appRoot !== undefined && { appRoot }),
    ...(forwardedPrefix !== undefined && { forwardedPrefix }),
    ...(redirect !== undefined && { redirect }),
    hasRelativeRedirects: read.bool('relative-redirects') ?? settings.bool('relative-redirects'),
    sslRedirect: isForced ? 'always' : isOn ? 'with certificate' : 'never',
    keepsTrailingSlash:
      read.bool('preserve-trailing-slash') ?? settings.bool('preserve-trailing-slash'),
    hasPortInRedirects:
      read.bool('use-port-in-redirects') ?? settings.bool('use-port-in-redirects'),
    redirectsFromToWww: read.bool('from-to-www-redirect') ?? false,
  };
}

function parseAppRoot(read: AnnotationReader): string | undefined {
  const value = read.text('app-root');
  if (value === undefined || value.startsWith('/')) return value;
  read.problem('app-root', 'must be a path that begins with a slash, and is not used');
  return undefined;
}

/** The temporal one wins. */
function parseRedirect(read: AnnotationReader): PathSettings['redirect'] {
  const temporal = read.text('temporal-redirect');
  const permanent = read.text('permanent-redirect');
  const temporalCode = read.int('temporal-redirect-code') ?? 302;
  const permanentCode = read.int('permanent-redirect-code') ?? 301;
  if (temporal !== undefined) {
    if (/^https?:\/\/[^/]/.test(temporal)) {
      const isInRange = temporalCode >= 300 && temporalCode <= 307;
      return { status: isInRange ? temporalCode : 302, url: temporal };
    }
    read.problem('temporal-redirect', 'is no URL, and redirects are not used');
    return undefined;
  }
  if (permanent === undefined) return undefined;
  const isInRange = permanentCode >= 300 && permanentCode <= 308;
  return { status: isInRange ? permanentCode : 301, url: permanent };
}
