import type { KubeObject } from '@waygate/schema';
import type { RouteObject } from '../objects/gateway-api.ts';
import type { Ingress } from '../objects/ingress.ts';
import { kindIdOf } from '../objects/kind-id.ts';
import type {
  KongConsumerResource,
  KongCustomEntityResource,
  KongPluginResource,
  KongVaultResource,
} from '../objects/kong-resources.ts';
import { keyOf } from '../objects/reference.ts';
import type { Secret } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { ObjectStore } from '../store/object-store.ts';
import { annotation, annotationsOf } from '../translate/annotations.ts';
import {
  credentialFromSecret,
  credentialKinds,
  credentialLabel,
  isCredentialType,
} from '../translate/credentials.ts';
import { isStandardType } from '../translate/custom-entities.ts';
import { ownParent } from '../translate/gateway/route-attachment.ts';
import { isIngressOfClass, isObjectOfClass } from '../translate/ingress-class.ts';
import { isNginxIngress } from '../translate/nginx/class-of.ts';
import { resolveNginxOptions } from '../translate/nginx/options.ts';
import { resolveOptions, type TranslateOptions } from '../translate/options.ts';
import { pluginConfig } from '../translate/plugin-config.ts';
import { translate } from '../translate/translate.ts';
import type { AdmissionRequest } from './admission-review.ts';
import { certificateProblem } from './certificate-secret.ts';
import {
  allowed,
  denied,
  type Verdict,
  validateCredentialSecret,
  validateLegacyCredentialSecret,
} from './credential-secret.ts';
import type { EntityValidator } from './entity-validator.ts';
import { nginxVerdict } from './nginx-verdict.ts';

export interface ValidationContext {
  /** The cluster as it is, without the object under review. */
  readonly reader: ObjectReader;
  readonly options: TranslateOptions;
  readonly ingressClass: string;
  readonly entities: EntityValidator;
}

/**
 * Judges an object before the API server stores it. What is not ours is always allowed.
 *
 * ```ts
 * const object = {
 *   apiVersion: 'configuration.konghq.com/v1',
 *   kind: 'KongPlugin',
 *   metadata: { name: 'limit', namespace: 'shop' },
 *   plugin: 'rate-limiting',
 *   config: { policy: 'moon' },
 * };
 * const verdict = await validateObject(
 *   { uid: '1', operation: 'CREATE', object },
 *   { reader: new ObjectStore(), options: {}, ingressClass: 'kong', entities: schemaValidator('traditional') },
 * );
 * verdict.isAllowed; // false
 * ```
 */
export async function validateObject(
  request: AdmissionRequest,
  context: ValidationContext,
): Promise<Verdict> {
  const { object, operation } = request;
  if (operation === 'DELETE' || !object) return allowed;
  switch (kindIdOf(object)) {
    case 'KongPlugin':
    case 'KongClusterPlugin':
      return validatePlugin(object as KongPluginResource, context);
    case 'KongConsumer':
      return validateConsumer(object as KongConsumerResource, context);
    case 'Secret':
      return validateSecret(object as Secret, (request.oldObject ?? undefined) as Secret, context);
    case 'Ingress':
      return validateIngress(object as Ingress, context);
    case 'HTTPRoute':
    case 'GRPCRoute':
      return isRouteOfOurs(object as RouteObject<unknown>, context)
        ? validateRoutes(object, context)
        : allowed;
    case 'KongCustomEntity':
      return validateCustomEntity(object as KongCustomEntityResource);
    case 'KongVault':
      return validateVault(object as KongVaultResource, context);
    case 'KongIngress':
      return warned("'KongIngress' is deprecated, use annotations and KongUpstreamPolicy instead");
    case 'Service':
      return annotation(annotationsOf(object), 'override') === undefined
        ? allowed
        : warned("'konghq.com/override' is deprecated, use 'konghq.com/upstream-policy' instead");
    default:
      return allowed;
  }
}

async function validateIngress(ingress: Ingress, context: ValidationContext): Promise<Verdict> {
  const { reader, options, ingressClass } = context;
  const nginx = options.nginx && resolveNginxOptions(options.nginx);
  if (nginx !== undefined && isNginxIngress(reader, ingress, nginx))
    return nginxVerdict(ingress, reader, nginx);
  return isIngressOfClass(reader, ingress, ingressClass)
    ? validateRoutes(ingress, context)
    : allowed;
}

function warned(message: string): Verdict {
  return { isAllowed: true, message: '', warnings: [message] };
}

async function validatePlugin(
  plugin: KongPluginResource,
  { reader, entities }: ValidationContext,
): Promise<Verdict> {
  if (!plugin.plugin) return denied('plugin name cannot be empty');
  const result = pluginConfig(plugin, reader);
  if ('error' in result) return denied(result.error);
  const error = await entities.validate('plugins', {
    name: plugin.plugin,
    config: result.config,
    // One that is off need not be one that the gateway can run.
    ...(plugin.disabled === true ? { enabled: false } : {}),
    ...(plugin.protocols?.length ? { protocols: plugin.protocols } : {}),
    ...(plugin.instance_name ? { instance_name: plugin.instance_name } : {}),
  });
  const label = `${plugin.kind} ${keyOf(plugin)}`;
  return error === undefined
    ? allowed
    : denied(`${label}: plugin failed schema validation: ${error}`);
}

function validateConsumer(consumer: KongConsumerResource, context: ValidationContext): Verdict {
  const { reader, ingressClass } = context;
  if (!isObjectOfClass(reader, consumer, ingressClass)) return allowed;
  if (!consumer.username && !consumer.custom_id)
    return denied('consumer needs a username or a custom_id');
  const namesake = reader
    .list<KongConsumerResource>('KongConsumer')
    .find(
      (other) =>
        keyOf(other) !== keyOf(consumer) &&
        isObjectOfClass(reader, other, ingressClass) &&
        ((Boolean(consumer.username) && other.username === consumer.username) ||
          (Boolean(consumer.custom_id) && other.custom_id === consumer.custom_id)),
    );
  if (namesake !== undefined)
    return denied(`consumer already exists: KongConsumer ${keyOf(namesake)} has the same name`);
  const { namespace = '' } = consumer.metadata;
  const own = new Set<string>();
  for (const name of new Set(consumer.credentials)) {
    const secret = reader.get<Secret>('Secret', namespace, name);
    if (secret === undefined)
      return denied(`consumer referenced non-existent credentials secret ${namespace}/${name}`);
    const verdict = validateCredentialSecret(secret);
    if (!verdict.isAllowed) return verdict;
    const taken = takenBy(secret, context, new Set([keyOf(consumer)]));
    if (taken !== undefined) return denied(uniqueMessage(taken));
    const { index, value } = uniqueValue(secret) ?? {};
    if (index === undefined) continue;
    const owner = `another credential of KongConsumer ${keyOf(consumer)}`;
    if (own.has(`${index} ${value}`)) return denied(uniqueMessage({ index, owner }));
    own.add(`${index} ${value}`);
  }
  return allowed;
}

function validateSecret(
  secret: Secret,
  before: Secret | undefined,
  context: ValidationContext,
): Promise<Verdict> | Verdict {
  const isLegacy = context.options.naming === 'legacy';
  const verdict = (isLegacy ? validateLegacyCredentialSecret : validateCredentialSecret)(secret);
  if (!verdict.isAllowed) return verdict;
  if (secret.metadata.labels?.[credentialLabel] !== undefined) {
    const taken = takenBy(secret, context, new Set());
    return taken === undefined ? allowed : denied(uniqueMessage(taken));
  }
  const problem = certificateProblem(secret, before, context);
  return problem === undefined ? validatePluginsUsing(secret, context) : denied(problem);
}

/** A Secret that plugins take their configuration from is judged by what it makes of them. */
async function validatePluginsUsing(secret: Secret, context: ValidationContext): Promise<Verdict> {
  const { namespace = '', name = '' } = secret.metadata;
  const store = new ObjectStore();
  store.put(secret);
  const reader: ObjectReader = {
    get: (kind, where, key) => store.get(kind, where, key) ?? context.reader.get(kind, where, key),
    list: (kind) => context.reader.list(kind),
    endpointSlicesOf: (where, service) => context.reader.endpointSlicesOf(where, service),
    backendTlsPoliciesOf: (where, service) => context.reader.backendTlsPoliciesOf(where, service),
  };
  for (const kind of ['KongPlugin', 'KongClusterPlugin'] as const) {
    for (const plugin of reader.list<KongPluginResource>(kind)) {
      let isUsed = false;
      pluginConfig(plugin, {
        ...reader,
        get: (one, where, key) => {
          isUsed ||= one === 'Secret' && where === namespace && key === name;
          return reader.get(one, where, key);
        },
      });
      if (!isUsed) continue;
      const verdict = await validatePlugin(plugin, { ...context, reader });
      if (!verdict.isAllowed)
        return denied(
          `Change on secret will generate invalid configuration for ${verdict.message}`,
        );
    }
  }
  return allowed;
}

interface TakenValue {
  readonly index: string;
  readonly owner: string;
}

/** Whether another consumer's Secret has the same unique value; the Secret itself does not count. */
function takenBy(
  secret: Secret,
  { reader, ingressClass }: ValidationContext,
  except: ReadonlySet<string>,
): TakenValue | undefined {
  const wanted = uniqueValue(secret);
  if (wanted === undefined) return undefined;
  for (const consumer of reader.list<KongConsumerResource>('KongConsumer')) {
    if (except.has(keyOf(consumer)) || !isObjectOfClass(reader, consumer, ingressClass)) continue;
    const { namespace = '' } = consumer.metadata;
    for (const name of consumer.credentials ?? []) {
      if (namespace === secret.metadata.namespace && name === secret.metadata.name) continue;
      const other = reader.get<Secret>('Secret', namespace, name);
      const found = other && uniqueValue(other);
      if (found?.index === wanted.index && found.value === wanted.value)
        return { index: wanted.index, owner: `KongConsumer ${keyOf(consumer)}` };
    }
  }
  return undefined;
}

function uniqueValue(secret: Secret): { index: string; value: string } | undefined {
  const type = secret.metadata.labels?.[credentialLabel] ?? '';
  if (!isCredentialType(type)) return undefined;
  const { unique } = credentialKinds[type];
  const result = credentialFromSecret(type, secret);
  if (unique.isPerConsumer || 'error' in result) return undefined;
  return { index: unique.index, value: String(result.entity[unique.field]) };
}

function uniqueMessage({ index, owner }: TakenValue): string {
  return `consumer credential failed validation: unique key constraint violated for ${index}: already used by ${owner}`;
}

/** A route for the Gateways of others is theirs to judge. */
function isRouteOfOurs(
  route: RouteObject<unknown>,
  { reader, options }: ValidationContext,
): boolean {
  const { gatewayControllerName } = resolveOptions(options);
  return (route.spec?.parentRefs ?? []).some(
    (parent) => ownParent(reader, route, parent, gatewayControllerName) !== undefined,
  );
}

/** Translates the object alone with what it refers to, and has the gateway's rules judge its routes. */
async function validateRoutes(
  object: KubeObject,
  { reader, options, entities }: ValidationContext,
): Promise<Verdict> {
  const classes = [...reader.list<KubeObject>('IngressClass')];
  const facades = [...reader.list<KubeObject>('KongServiceFacade')];
  const { state, problems } = translate([object, ...classes, ...facades], options);
  const own = problems.filter(
    ({ object: { kind, name, namespace }, field }) =>
      field !== undefined &&
      kind === object.kind &&
      name === object.metadata.name &&
      namespace === (object.metadata.namespace ?? ''),
  );
  const [first] = own;
  if (first !== undefined) return denied(`${object.kind} ${keyOf(object)}: ${first.message}`);
  for (const { routes = [] } of state.services) {
    for (const { plugins: _plugins, ...route } of routes) {
      const error = await entities.validate('routes', route);
      if (error !== undefined)
        return denied(`${object.kind} ${keyOf(object)} failed schema validation: ${error}`);
    }
  }
  return allowed;
}

/** Types of entities with objects of their own cannot be written as others. */
function validateCustomEntity({ spec }: KongCustomEntityResource): Verdict {
  const { type = '' } = spec ?? {};
  return isStandardType(type)
    ? denied(`cannot use known entity type ${type} in custom entity`)
    : allowed;
}

async function validateVault(
  vault: KongVaultResource,
  { reader, ingressClass, entities }: ValidationContext,
): Promise<Verdict> {
  if (!isObjectOfClass(reader, vault, ingressClass)) return allowed;
  const { backend = '', prefix = '', config, description } = vault.spec ?? {};
  const namesake = reader
    .list<KongVaultResource>('KongVault')
    .find((other) => other.metadata.name !== vault.metadata.name && other.spec?.prefix === prefix);
  if (namesake !== undefined)
    return denied(
      `spec.prefix ${JSON.stringify(prefix)} is duplicate: KongVault ${namesake.metadata.name} has it`,
    );
  const error = await entities.validate('vaults', {
    name: backend,
    prefix,
    config: config ?? {},
    ...(description ? { description } : {}),
  });
  return error === undefined ? allowed : denied(`vault failed schema validation: ${error}`);
}
