import { compareText, creationOf } from '../../objects/reference.ts';
import type { Secret } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { keyPairOf } from '../key-pair.ts';
import type { CertificateEntity } from '../kong-state.ts';

/** Certificates of Secrets with the hosts that they are shown for; equal pairs become one. */
export function legacyCertificates(
  hostsOfSecret: ReadonlyMap<string, readonly string[]>,
  reader: ObjectReader,
): CertificateEntity[] {
  const byPair = new Map<
    string,
    { entity: CertificateEntity; creation: string; hosts: string[] }
  >();
  const taken = new Set<string>();
  for (const [key, hosts] of hostsOfSecret) {
    const slash = key.indexOf('/');
    const secret = reader.get<Secret>('Secret', key.slice(0, slash), key.slice(slash + 1));
    const pair = secret && keyPairOf(secret);
    if (pair === undefined) continue;
    const id = secret?.metadata.uid ?? '';
    const creation = secret ? creationOf(secret) : '';
    const found = byPair.get(pair.cert + pair.key);
    const entry = found ?? { entity: { id, ...pair }, creation, hosts: [] };
    if (found !== undefined && creation < found.creation) {
      entry.entity = { ...entry.entity, id };
      entry.creation = creation;
    }
    for (const host of hosts) {
      if (taken.has(host)) continue;
      taken.add(host);
      entry.hosts.push(host);
    }
    byPair.set(pair.cert + pair.key, entry);
  }
  return [...byPair.values()]
    .map(({ entity, hosts }) =>
      hosts.length === 0 ? entity : { ...entity, snis: hosts.map((name) => ({ name })) },
    )
    .sort((left, right) => compareText(left.id, right.id));
}
