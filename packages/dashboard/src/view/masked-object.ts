import {
  type FieldTable,
  findPluginSchema,
  type JsonObject,
  maskEntity,
  masked,
} from '@waygate/kong';
import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { withoutPassword } from './seen-object.ts';

/** Annotations that repeat what the object holds, secrets included. */
const copies = ['kubectl.kubernetes.io/last-applied-configuration'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * An object as it may leave the server: no value of a Secret, no setting of a plugin that its schema marks
 * secret, no licence, no password in an address. Nothing that lists who owns which field, either: it is
 * shown elsewhere, and in few words.
 */
export function maskedObject(object: DynamicObject): DynamicObject {
  const { managedFields: _managed, annotations, ...metadata } = object.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([name]) => !copies.includes(name));
  const shown = {
    ...object,
    metadata: {
      ...metadata,
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    },
  } as DynamicObject;
  return maskKind(shown) as DynamicObject;
}

/**
 * Two states of an object, masked. Where a Secret differs, that it does is shown, and not how.
 */
export function maskedStates(
  before: DynamicObject | undefined,
  after: DynamicObject | undefined,
): readonly [DynamicObject | undefined, DynamicObject | undefined] {
  const old = before && maskedObject(before);
  const now = after && maskedObject(after);
  if (before?.kind !== 'Secret' || after?.kind !== 'Secret') return [old, now];
  return [
    markedSecret(old!, before, after, '(before)'),
    markedSecret(now!, after, before, '(after)'),
  ];
}

function markedSecret(
  shown: DynamicObject,
  own: DynamicObject,
  other: DynamicObject,
  word: string,
): DynamicObject {
  const marked = (field: 'data' | 'stringData'): object => {
    const values = fieldsOf(own[field]);
    const others = fieldsOf(other[field]);
    if (own[field] === undefined) return {};
    return {
      [field]: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          name in others && others[name] !== value ? `${masked} ${word}` : masked,
        ]),
      ),
    };
  };
  return { ...shown, ...marked('data'), ...marked('stringData') };
}

function maskKind(object: DynamicObject): Fields {
  const { kind = '', apiVersion = '' } = object;
  const fields: Fields = object as unknown as Fields;
  if (kind === 'Secret' && apiVersion === 'v1')
    return { ...fields, ...hidden(fields, 'data'), ...hidden(fields, 'stringData') };
  if (apiVersion.startsWith('source.toolkit.fluxcd.io/')) return maskUrl(fields);
  if (apiVersion.startsWith('notification.toolkit.fluxcd.io/')) return maskAddress(fields);
  if (apiVersion.startsWith('helm.toolkit.fluxcd.io/')) return maskIn(fields, ['values']);
  if (apiVersion.startsWith('kustomize.toolkit.fluxcd.io/'))
    return maskIn(fields, ['postBuild', 'substitute']);
  if (!/^configuration\.konghq\.com\//.test(apiVersion)) return fields;
  if (kind === 'KongPlugin' || kind === 'KongClusterPlugin') {
    const plugin = String(fields.plugin ?? '');
    const patches = Array.isArray(fields.configPatches) ? fields.configPatches : [];
    return {
      ...fields,
      ...(fields.config === undefined ? {} : { config: maskedConfig(plugin, fields.config) }),
      ...(patches.length === 0 ? {} : { configPatches: patches.map(maskPatch) }),
    };
  }
  if (kind === 'KongLicense' && fields.rawLicenseString !== undefined)
    return { ...fields, rawLicenseString: masked };
  if (kind === 'KongCredential') return { ...fields, ...hidden(fields, 'config') };
  const spec = fieldsOf(fields.spec);
  if (kind === 'KongVault' && spec.config !== undefined)
    return { ...fields, spec: { ...spec, config: maskedConfig('', spec.config) } };
  if (kind === 'KongCustomEntity' && spec.fields !== undefined)
    return { ...fields, spec: { ...spec, fields: hiddenLeaves(spec.fields) } };
  return fields;
}

/**
 * The settings of a plugin: what its schema marks as encrypted, what has a telling name, and what may be a
 * reference to a vault, unless it is one.
 */
export function maskedConfig(plugin: string, config: unknown): unknown {
  const entity = { name: plugin, config } as unknown as JsonObject;
  const { config: shown } = maskEntity('plugins', entity);
  const schema = findPluginSchema(plugin);
  const fields = schema?.fields.get('config')?.fields;
  return fields === undefined ? shown : maskReferences(shown, fields);
}

function maskReferences(value: unknown, fields: FieldTable): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const field = fields.get(name);
      if (field?.referenceable === true && inner !== null) return [name, maskReference(inner)];
      if (field?.fields !== undefined) return [name, maskReferences(inner, field.fields)];
      return [name, inner];
    }),
  );
}

function maskReference(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskReference);
  return typeof value === 'string' && value.startsWith('{vault://') ? value : masked;
}

function maskPatch(patch: unknown): unknown {
  return isObject(patch) && patch.value !== undefined ? { ...patch, value: masked } : patch;
}

function maskUrl(object: Fields): Fields {
  const spec = fieldsOf(object.spec);
  if (typeof spec.url !== 'string') return object;
  return { ...object, spec: { ...spec, url: withoutPassword(spec.url) } };
}

/** The address of a chat's hook is its password: of it, only where it is is shown. */
function maskAddress(object: Fields): Fields {
  const spec = fieldsOf(object.spec);
  if (typeof spec.address !== 'string') return object;
  const origin = URL.canParse(spec.address) ? new URL(spec.address).origin : 'null';
  const address = origin === 'null' ? masked : `${origin}/${masked}`;
  return { ...object, spec: { ...spec, address } };
}

/** What is written in place of a Secret, by its name, at a path of the spec. */
function maskIn(object: Fields, path: readonly string[]): Fields {
  const mask = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined) return maskedConfig('', value);
    if (!isObject(value) || value[name] === undefined) return value;
    return { ...value, [name]: mask(value[name], rest) };
  };
  return object.spec === undefined ? object : { ...object, spec: mask(object.spec, path) };
}

/** Every value of a field hidden, its names kept. */
function hidden(object: Fields, field: string): Fields {
  if (object[field] === undefined) return {};
  const values = Object.keys(fieldsOf(object[field])).map((name) => [name, masked]);
  return { [field]: Object.fromEntries(values) };
}

/** Nobody knows which fields of an entity that we know nothing of are secret: all texts are. */
function hiddenLeaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hiddenLeaves);
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, hiddenLeaves(inner)]),
    );
  return typeof value === 'string' ? masked : value;
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
