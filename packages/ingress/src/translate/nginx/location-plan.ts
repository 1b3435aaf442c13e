import { createHash } from 'node:crypto';
import type { ProblemList } from '../problem.ts';
import {
  aliasName,
  type LocationMatch,
  locationMatches,
  rootMatch,
  type ServerName,
  serverNames,
  slashMatch,
} from './location-match.ts';
import type { LocationSettings } from './location-settings.ts';
import type { NginxLocation, NginxServer } from './server.ts';
import type { ServerCertificate } from './server-certificate.ts';

/** A location with all that its Kong service is made from, endpoints aside. */
export interface LocationPlan {
  /** The name of the Kong service. */
  readonly name: string;
  readonly server: NginxServer;
  readonly location: NginxLocation;
  readonly settings: LocationSettings;
  readonly names: readonly ServerName[];
  readonly match: LocationMatch;
  /** Counted from the last location of the server. */
  readonly order: number;
  readonly hasCertificate: boolean;
  /** Only sends clients to the same path with a slash. */
  readonly addsSlash: boolean;
  /** Only sends clients to the server's host. */
  readonly redirectsToHost?: string;
}

/**
 * What one server asks for, location by location.
 *
 * @param nobody - the settings of locations that no Ingress has
 */
export function planServer(
  server: NginxServer,
  nobody: { readonly plain: LocationSettings; readonly status: LocationSettings },
  certificate: ServerCertificate,
  problems: ProblemList,
): LocationPlan[] {
  const names = serverNames(server);
  const matches = locationMatches(server);
  const places = new Set(server.locations.map(({ path, type }) => `${type} ${path}`));
  const plans = server.locations.flatMap((location, index) => {
    const match = matches[index];
    if (match === undefined) {
      const message = `the path ${JSON.stringify(location.path)} is no regular expression that the gateway can run, and is left out`;
      problems.add(message, location.owner?.ingress);
      return [];
    }
    const unowned = location.page === 'status' ? nobody.status : nobody.plain;
    const settings = location.owner?.location ?? unowned;
    const order = server.locations.length - index;
    const own = [true, false].flatMap((hasCertificate): LocationPlan[] => {
      const some = names.filter(({ text }) => certificate.isFor(text) === hasCertificate);
      if (some.length === 0) return [];
      const place = `${location.type} ${location.path}${hasCertificate ? '' : ' plain'}`;
      const name = nameOf(server.host, place);
      const common = { server, location, settings, match, order, hasCertificate };
      return [{ ...common, name, names: some, addsSlash: false }];
    });
    if (!isSlashAdded(server, location, settings, places)) return own;
    const bare = location.path.slice(0, -1);
    const [plan] = own;
    if (plan === undefined) return [];
    const name = nameOf(server.host, `slash ${bare}`);
    return [...own, { ...plan, name, names, match: slashMatch(location), addsSlash: true }];
  });
  return [...plans, ...wwwPlans(server, plans)];
}

/** All requests for the other name are sent here. */
function wwwPlans(server: NginxServer, plans: readonly LocationPlan[]): LocationPlan[] {
  const { host, wwwHost } = server;
  const root = plans.find(({ location }) => location.path === '/');
  const name = wwwHost === undefined ? undefined : aliasName(wwwHost);
  if (name === undefined || root === undefined) return [];
  const match = rootMatch();
  return [{ ...root, name: nameOf(host, 'www'), names: [name], match, redirectsToHost: host }];
}

/** nginx does it for what is passed on, where nothing has just this path. */
function isSlashAdded(
  { isRegex }: NginxServer,
  { path }: NginxLocation,
  settings: LocationSettings,
  places: ReadonlySet<string>,
): boolean {
  if (isRegex || path === '/' || !path.endsWith('/')) return false;
  if (settings.denied !== undefined || settings.paths.redirect !== undefined) return false;
  return !places.has(`Exact ${path.slice(0, -1)}`);
}

/** The name of a location's Kong service. */
function nameOf(host: string, place: string): string {
  const digest = createHash('sha256').update(place).digest('hex').slice(0, 12);
  return `nginx.${host.replaceAll('*', '_')}.${digest}`;
}
