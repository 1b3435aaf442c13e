import type { DynamicObject } from '@waygate/schema';
import { type Fields, objectAt, textAt } from '../builtins/fields.ts';
import type { Core } from '../core/core.ts';
import { decodeBody } from '../decode/request-body.ts';
import { formatTime } from '../decode/time-text.ts';
import { answerJson } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { trackUpdate } from '../managed/tracking.ts';
import type { Resource } from '../resources/resource.ts';
import { decodeObject } from '../rest/object-decoder.ts';
import { writeOptions } from '../rest/write-options.ts';
import { badRequest, conflict, invalidObject, notFound } from '../status/api-error.ts';
import { invalid } from '../status/field-problem.ts';
import { builtinTypes } from '../typed-schema/open-api-types.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import type { TokenClaims, TokenIssuer } from './token-issuer.ts';

const kind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const minSeconds = 600;
const maxSeconds = 2 ** 32;

/** POST to `serviceaccounts/NAME/token`: a token for a time, for an audience, bound to an object. */
export async function issueToken(
  tokens: TokenIssuer,
  core: Core,
  exchange: Exchange,
  accounts: Resource,
): Promise<void> {
  const { namespace, name } = exchange.info;
  const type = builtinTypes.ofKind(kind.group, kind.version, kind.kind) as StructNode;
  const { fieldManager } = writeOptions(exchange, 'CreateOptions');
  const body = decodeBody(await exchange.bodyText(), exchange.contentType, kind.kind);
  const { object } = decodeObject(body, accounts, 'Ignore', type, kind);
  const account = accountOf(core, exchange, object);
  const spec = objectAt(object, 'spec');
  const audiences = (spec.audiences ?? []) as string[];
  const seconds = Number(spec.expirationSeconds ?? 3600);
  checkSeconds(seconds);
  spec.expirationSeconds = seconds;
  object.spec = spec;
  trackUpdate(
    { ...accounts, ...kind, type, strategy: { ...accounts.strategy, resetFields: {} } },
    undefined,
    object,
    { fieldManager, subresource: 'token', time: formatTime(core.now()) },
  );
  spec.audiences = audiences.length === 0 ? [...tokens.audiences] : audiences;
  const bound = boundClaims(core, objectAt(spec, 'boundObjectRef'), namespace, name);
  spec.boundObjectRef ??= null;
  const now = Math.floor(core.now() / 1000);
  const uid = account.metadata.uid ?? '';
  object.metadata = {
    ...object.metadata,
    name,
    namespace,
    uid,
    creationTimestamp: formatTime(core.now()),
  };
  const token = tokens.sign({
    aud: spec.audiences as string[],
    exp: now + seconds,
    iat: now,
    nbf: now,
    jti: core.uuid(),
    sub: `system:serviceaccount:${namespace}:${name}`,
    'kubernetes.io': { namespace, ...bound, serviceaccount: { name, uid } },
  });
  object.status = { token, expirationTimestamp: formatTime((now + seconds) * 1000) };
  answerJson(exchange, 201, object);
}

/** The account of the path, which the body may name but not change. */
function accountOf(
  core: Core,
  exchange: Exchange,
  request: DynamicObject,
): Readonly<DynamicObject> {
  const { namespace, name } = exchange.info;
  const { metadata } = request;
  if ((metadata.namespace ?? namespace) !== namespace)
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  for (const [field, wanted] of [
    ['name', name],
    ['namespace', namespace],
  ] as const) {
    const given = metadata[field] ?? '';
    if (given === '' || given === wanted) continue;
    const why = `must match the service account ${field} if specified`;
    throw invalidObject(kind, name, [invalid(`metadata.${field}`, given, why)]);
  }
  const account = core.store.get('serviceaccounts', `${namespace}/${name}`)?.object;
  if (account === undefined) throw notFound({ group: '', resource: 'serviceaccounts' }, name);
  const uid = metadata.uid ?? '';
  if (uid !== '' && uid !== account.metadata.uid) {
    const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`;
    throw conflict({ group: kind.group, resource: kind.kind }, name, why);
  }
  return account;
}

function checkSeconds(seconds: number): void {
  if (seconds >= minSeconds && seconds <= maxSeconds) return;
  const why =
    seconds < minSeconds
      ? 'may not specify a duration less than 10 minutes'
      : 'may not specify a duration larger than 2^32 seconds';
  throw invalidObject(kind, '', [invalid('spec.expirationSeconds', seconds, why)]);
}

const bindable: Readonly<Record<string, string>> = {
  Pod: 'pods',
  Secret: 'secrets',
  Node: 'nodes',
};

type BoundClaims = Pick<TokenClaims['kubernetes.io'], 'pod' | 'secret' | 'node'>;

/** The claims of the object that a token lives and dies with. */
function boundClaims(
  core: Core,
  reference: Fields,
  namespace: string,
  account: string,
): BoundClaims {
  const boundKind = textAt(reference, 'kind');
  const apiVersion = textAt(reference, 'apiVersion');
  if (boundKind === '' && apiVersion === '') return {};
  const plural = bindable[boundKind];
  if (plural === undefined || apiVersion !== 'v1') {
    const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token to object of type ${version}, Kind=${boundKind}`);
  }
  const name = textAt(reference, 'name');
  const found = core.store.get(plural, plural === 'nodes' ? name : `${namespace}/${name}`)?.object;
  if (found === undefined) throw notFound({ group: '', resource: plural }, name);
  const spec = objectAt(found, 'spec');
  if (boundKind === 'Pod' && textAt(spec, 'serviceAccountName') !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  const uid = found.metadata.uid ?? '';
  const given = textAt(reference, 'uid');
  if (given !== '' && given !== uid) {
    const why = `the UID in the bound object reference (${given}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', resource: boundKind }, name, why);
  }
  const claims = { [boundKind.toLowerCase()]: { name, uid } } as BoundClaims;
  const nodeName = boundKind === 'Pod' ? textAt(spec, 'nodeName') : '';
  if (nodeName === '') return claims;
  const nodeUid = core.store.get('nodes', nodeName)?.object.metadata.uid;
  return {
    ...claims,
    node: { name: nodeName, ...(nodeUid === undefined ? {} : { uid: nodeUid }) },
  };
}
