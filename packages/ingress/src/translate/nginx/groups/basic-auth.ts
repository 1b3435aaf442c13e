import { passwordHashProblem } from '@waygate/kong';
import { type Secret, secretKeys, secretText } from '../../../objects/secret.ts';
import type { ObjectReader } from '../../../store/object-reader.ts';
import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import type { NginxSettings } from '../settings.ts';
import { resourceOf } from './resource.ts';

/** Names and passwords from a Secret. Whatever is wrong with it closes the paths. */
export function parseBasicAuth(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
  satisfy: string,
): PluginEntity | undefined {
  const type = read.text('auth-type');
  if (type === undefined) return undefined;
  // Its check is for a word within; what is not just the one is the other.
  const isDigest = type !== 'basic';
  const kind = read.text('auth-secret-type') ?? 'auth-file';
  const realm = read.text('auth-realm') ?? '';
  const name = read.text('auth-secret');
  if (name === undefined) {
    if (read.denied === undefined) read.deny('auth-secret', 'there is none, with auth-type');
    return undefined;
  }
  const found = resourceOf(name, namespace, settings);
  if (found === undefined) {
    read.deny('auth-secret', 'the Secret is of another namespace');
    return undefined;
  }
  const secret = reader.get<Secret>('Secret', found.namespace, found.name);
  const users = secret && usersOf(secret, kind);
  if (users === undefined) {
    const missing = secret === undefined ? 'there is no' : 'there are no users in';
    read.deny('auth-secret', `${missing} Secret ${found.namespace}/${found.name}`);
    return undefined;
  }
  // With a line that a gateway would refuse nobody gets in; the others of the Secret do.
  const usable = users.filter(isDigest ? isDigestLine : isPasswordLine);
  const lost = users.length - usable.length;
  if (lost > 0)
    read.problem('auth-secret', `${lost} of its users have a password in a form that is not known`);
  const mode = isDigest ? 'digest' : 'basic';
  return { name: 'htpasswd-auth', config: { type: mode, realm, users: usable, satisfy } };
}

function isPasswordLine(line: string): boolean {
  const [name, hash = ''] = line.split(':');
  return name !== '' && passwordHashProblem(hash.trim()) === undefined;
}

/** As `htdigest` writes them. */
function isDigestLine(line: string): boolean {
  return /^[^:]+:[^:]*:[0-9a-fA-F]{32}$/.test(line);
}

/** Lines `name:hash`, of a file or of a key for each name; undefined when there is none. */
function usersOf(secret: Secret, kind: string): string[] | undefined {
  const lines =
    kind === 'auth-map'
      ? secretKeys(secret).map((key) => `${key}:${secretText(secret, key) ?? ''}`)
      : secretText(secret, 'auth')?.split('\n');
  return lines
    ?.map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && line.includes(':'));
}
