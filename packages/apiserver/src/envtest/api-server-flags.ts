import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { isLoopback } from '@waygate/text';
import type { StaticToken } from '../auth/authenticator.ts';
import { type NumberRange, parseServiceRange } from '../resources/cluster-settings.ts';
import type { ApiServerOptions } from '../server/api-server-options.ts';
import { type ControllerName, controllerNames } from '../server/running-controllers.ts';
import type { KeyPairPem } from '../tls/certificate-authority.ts';
import { pemBlocks } from '../tls/pem-blocks.ts';
import { FlagError, lastFlag, listFlag } from './flag-reader.ts';

type Flags = ReadonlyMap<string, readonly string[]>;

/** Set where the suite's own command line cannot be changed. */
const controllersVariable = 'WAYGATE_ENVTEST_CONTROLLERS';

/**
 * What a command line of kube-apiserver asks of the embedded API.
 *
 * @throws FlagError when a value, or a file that it names, cannot be used
 */
export function apiServerOptions(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>>,
): ApiServerOptions {
  const host = lastFlag(flags, 'bind-address') ?? '127.0.0.1';
  const serving = servingPair(flags);
  const clientAuthorities = fileOf(flags, 'client-ca-file');
  const advertised = lastFlag(flags, 'advertise-address') ?? reachableAddress(host);
  return {
    host,
    port: numberOf(lastFlag(flags, 'secure-port') ?? '6443', 'secure-port'),
    authorization: authorizationOf(flags),
    allowsAnonymous: lastFlag(flags, 'anonymous-auth') !== 'false',
    tokens: staticTokens(fileOf(flags, 'token-auth-file') ?? ''),
    controllers: controllersOf(flags, environment[controllersVariable]),
    cluster: {
      serviceAddresses: serviceAddresses(flags),
      nodePorts: portRange(lastFlag(flags, 'service-node-port-range') ?? '30000-32767'),
      disabledPlugins: disabledPlugins(flags),
    },
    serviceAccountTokens: {
      issuers: flags.get('service-account-issuer') ?? [],
      audiences: listFlag(flags, 'api-audiences'),
      ...signingKey(flags),
      checkingKeys: (flags.get('service-account-key-file') ?? []).flatMap((file) =>
        keysIn(readNamed(file, 'service-account-key-file')),
      ),
    },
    ...(advertised === undefined ? {} : { advertisedAddress: advertised }),
    ...(serving === undefined ? {} : { serving }),
    // Nobody is believed by their certificate unless it is said who signs them.
    clientAuthorities: clientAuthorities ?? '',
  };
}

function servingPair(flags: Flags): KeyPairPem | undefined {
  const certificate = fileOf(flags, 'tls-cert-file');
  const privateKey = fileOf(flags, 'tls-private-key-file');
  if (certificate !== undefined && privateKey !== undefined) return { certificate, privateKey };
  if (certificate !== undefined || privateKey !== undefined)
    throw new FlagError('--tls-cert-file and --tls-private-key-file go together');
  const directory = lastFlag(flags, 'cert-dir');
  if (directory === undefined || !existsSync(join(directory, 'apiserver.crt'))) return undefined;
  return {
    certificate: readNamed(join(directory, 'apiserver.crt'), 'cert-dir'),
    privateKey: readNamed(join(directory, 'apiserver.key'), 'cert-dir'),
  };
}

/** Each key or certificate of a file, in PEM. */
function keysIn(text: string): string[] {
  return Array.from(pemBlocks(text), ({ type, der }) => {
    return `-----BEGIN ${type}-----\n${der.toString('base64')}\n-----END ${type}-----\n`;
  });
}

function signingKey(flags: Flags): { signingKey?: string } {
  const key = fileOf(flags, 'service-account-signing-key-file');
  return key === undefined ? {} : { signingKey: key };
}

function authorizationOf(flags: Flags): 'RBAC' | 'AlwaysAllow' {
  const modes = listFlag(flags, 'authorization-mode');
  const strange = modes.filter((mode) => !['RBAC', 'Node', 'AlwaysAllow'].includes(mode));
  // A mode that is left out would let in whom it was to refuse.
  if (strange.length > 0)
    throw new FlagError(
      `--authorization-mode: ${strange.join(', ')} is not here; there are RBAC, Node and AlwaysAllow`,
    );
  return modes.length === 0 || modes.includes('AlwaysAllow') ? 'AlwaysAllow' : 'RBAC';
}

function controllersOf(flags: Flags, variable: string | undefined): readonly ControllerName[] {
  const asked = flags.has('controllers')
    ? listFlag(flags, 'controllers')
    : (variable ?? '').split(',').filter((name) => name !== '');
  const named = (name: string) => controllerNames.find((each) => each === name);
  for (const name of asked) {
    if (name !== '*' && named(name.replace(/^-/, '')) === undefined)
      throw new FlagError(`"${name}" is not in the list of controllers: ${controllerNames}`);
  }
  return controllerNames.filter(
    (name) => (asked.includes('*') || asked.includes(name)) && !asked.includes(`-${name}`),
  );
}

function disabledPlugins(flags: Flags): ReadonlySet<string> {
  const off = new Set(listFlag(flags, 'disable-admission-plugins'));
  for (const name of listFlag(flags, 'enable-admission-plugins')) off.delete(name);
  return off;
}

function serviceAddresses(flags: Flags): NumberRange {
  const text = lastFlag(flags, 'service-cluster-ip-range') ?? '10.0.0.0/24';
  // Of two families the first that is here.
  const range = text
    .split(',')
    .map(parseServiceRange)
    .find((each) => each !== undefined);
  if (range === undefined)
    throw new FlagError(`--service-cluster-ip-range: ${text} is no IPv4 network of /8 to /30`);
  return range;
}

function portRange(text: string): NumberRange {
  const match = /^(\d+)-(\d+)$/.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || first > last || first < 1 || last > 65535)
    throw new FlagError(`--service-node-port-range: ${text} is no range of ports`);
  return { first, last };
}

/** One token a line, as CSV: groups are one field in quotes. */
function staticTokens(text: string): StaticToken[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [token = '', username = '', uid = '', groups = ''] = Array.from(
        line.trim().matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g),
        (match) => match[1] ?? match[2] ?? '',
      );
      if (token === '' || username === '')
        throw new FlagError('--token-auth-file: a line has a token, a user and a uid');
      return { token, username, uid, groups: groups === '' ? [] : groups.split(',') };
    });
}

/** Loopback is no address for a Service: the machine's own is what others would use. */
function reachableAddress(host: string): string | undefined {
  if (!isLoopback(host) && host !== '0.0.0.0') return host;
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((address) => address.family === 'IPv4' && !address.internal)?.address;
}

function fileOf(flags: Flags, name: string): string | undefined {
  const file = lastFlag(flags, name);
  return file === undefined || file === '' ? undefined : readNamed(file, name);
}

function readNamed(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new FlagError(`--${flag}: ${(error as Error).message}`, { cause: error });
  }
}

function numberOf(text: string, flag: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65535) throw new FlagError(`--${flag}: ${text} is no port`);
  return number;
}
