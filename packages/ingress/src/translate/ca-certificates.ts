import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '@waygate/schema';
import type { KongPluginResource } from '../objects/kong-resources.ts';
import { compareByAge, compareText } from '../objects/reference.ts';
import { type ConfigMap, type Secret, secretText } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { policyAuthorities } from './gateway/backend-tls.ts';
import { isObjectOfClass } from './ingress-class.ts';
import type { CaCertificateEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import type { ProblemList } from './problem.ts';
import { tagsOf } from './tags.ts';

export const caCertificateLabel = 'konghq.com/ca-cert';

interface Candidate {
  readonly object: KubeObject;
  value(key: string): string | undefined;
}

/** CA certificates from Secrets and ConfigMaps that are labelled as such. The oldest keeps an id. */
export function buildCaCertificates(
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): { readonly entities: CaCertificateEntity[]; readonly sources: KubeObject[] } {
  const winners = new Map<string, Candidate>();
  for (const candidate of candidates(reader, options)) {
    const id = candidate.value('id');
    if (id === undefined) {
      problems.add("invalid secret CA certificate: missing 'id' field in data", candidate.object);
    } else if (winners.has(id)) {
      const message = "invalid secret CA certificate: duplicate 'id' field in multiple objects";
      problems.add(message, candidate.object);
    } else {
      winners.set(id, candidate);
    }
  }
  const entities: CaCertificateEntity[] = [];
  const sources: KubeObject[] = [];
  for (const [id, { object, value }] of winners) {
    const text = value('cert') ?? value('ca.crt');
    const { namespace, name } = object.metadata;
    const result =
      text === undefined
        ? { error: ` ${namespace}/${name}, neither "cert" nor "ca.crt" key exist` }
        : parseAuthority(text, options.now());
    if ('error' in result) {
      const message = `invalid secret CA certificate${result.error}`;
      problems.add(message, object, ...pluginsUsing(id, reader));
      continue;
    }
    entities.push({ id, cert: result.pem, tags: tagsOf(object) });
    sources.push(object);
  }
  entities.push(...policyAuthorities(reader, options).filter(({ id }) => !winners.has(id)));
  entities.sort((left, right) => compareText(left.id, right.id));
  return { entities, sources };
}

function candidates(reader: ObjectReader, options: ResolvedOptions): Candidate[] {
  const isOurs = (object: KubeObject) =>
    object.metadata.labels?.[caCertificateLabel] === 'true' &&
    isObjectOfClass(reader, object, options.ingressClass);
  const secrets = reader
    .list<Secret>('Secret')
    .filter(isOurs)
    .map((object) => ({ object, value: (key: string) => secretText(object, key) }));
  const configMaps = reader
    .list<ConfigMap>('ConfigMap')
    .filter(isOurs)
    .map((object) => ({ object, value: (key: string) => object.data?.[key] }));
  return [...secrets, ...configMaps].sort((left, right) => compareByAge(left.object, right.object));
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/uy;

/** One PEM block, re-encoded, so that nothing else reaches the gateway. */
export function parseAuthority(text: string, now: Date): { pem: string } | { error: string } {
  const blocks: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    pemBlock.lastIndex = 0;
    const match = pemBlock.exec(rest);
    if (match === null) return { error: ': invalid PEM block' };
    if (match[1] !== 'CERTIFICATE') return { error: ': invalid PEM block type' };
    blocks.push(match[2]!.replace(/\s+/gu, ''));
    rest = rest.slice(match[0].length).trim();
  }
  if (blocks.length === 0) return { error: ': invalid PEM block' };
  if (blocks.length > 1) return { error: ': multiple PEM certificates found' };
  const lines =
    Buffer.from(blocks[0]!, 'base64')
      .toString('base64')
      .match(/.{1,64}/gu) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    return { error: ': failed to parse certificate' };
  }
  if (!certificate.ca) return { error: ": certificate is missing the 'CA' basic constraint" };
  if (new Date(certificate.validTo) < now) return { error: ': expired' };
  return { pem };
}

/** Plugins that trust a certificate by its id are affected when it cannot be loaded. */
function pluginsUsing(id: string, reader: ObjectReader): KubeObject[] {
  const plugins = [
    ...reader.list<KongPluginResource>('KongPlugin'),
    ...reader.list<KongPluginResource>('KongClusterPlugin'),
  ];
  return plugins.filter((plugin) => {
    const authorities = plugin.config?.ca_certificates;
    return Array.isArray(authorities) && authorities.includes(id);
  });
}
