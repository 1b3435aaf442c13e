import { isNotFound, type KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { orNothing, type ReportedObject, reportedKind } from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { untilReconciled } from '../reconcile-wait.ts';
import type { CreatedObject, Creation, FluxCreate } from './created-object.ts';

/** Applies what a command made, and waits until its controller says that it is ready. */
export async function applyCreation(
  client: KubeClient,
  command: FluxCreate,
  { objects, notes = [] }: Creation,
  timeoutMs: number,
  context: CliContext,
): Promise<void> {
  const say = (text: string): void => void context.stderr.write(`${text}\n`);
  const { noun, path } = command;
  const isSecret = path[0] === 'secret';
  if (!isSecret && path[0] !== 'tenant') say(`✚ generating ${noun}`);
  for (const note of notes) say(note);
  for (const object of objects) {
    if (path[0] === 'tenant') say(`► applying ${tenantPart(object.kind)} ${object.metadata.name}`);
    else if (object.kind === 'Secret' && !isSecret) say('► applying secret with credentials');
    else if (!isSecret) say(`► applying ${noun}`);
    const { isNew, generation } = await upsert(client, object);
    if (isSecret) {
      const { name, namespace } = object.metadata;
      say(`► ${noun} '${name}' created in '${namespace}' namespace`);
    } else if (object.kind === 'Secret') say('✔ authentication configured');
    else if (path[0] !== 'tenant') {
      say(`✔ ${noun} ${isNew ? 'created' : 'updated'}`);
      if (command.hasStatus && object.spec?.type !== 'oci')
        await untilReady(client, command, object, generation, timeoutMs, context);
    }
  }
  if (path[0] === 'tenant') say('✔ tenant setup completed');
}

function tenantPart(kind: string): string {
  return { Namespace: 'namespace', ServiceAccount: 'service account' }[kind] ?? 'role binding';
}

/** Makes an object, or gives the one that is there the wanted labels and spec and nothing else. */
async function upsert(
  client: KubeClient,
  wanted: CreatedObject,
): Promise<{ isNew: boolean; generation: number }> {
  const { name, namespace } = wanted.metadata;
  const resource = await client.resourceOf(wanted);
  const scope = namespace === undefined ? {} : { namespace };
  const there = await orNothing(resource.get(name, scope));
  const object = wanted as unknown as DynamicObject;
  if (there === undefined) {
    const made = await resource.create(object, { ...scope, fieldManager: 'waygate' });
    return { isNew: true, generation: made.metadata.generation ?? 0 };
  }
  // The rights of a binding cannot be changed, only given anew.
  if (wanted.kind === 'RoleBinding' && isOther(there.roleRef, wanted.roleRef)) {
    await resource.delete(name, scope);
    await resource.create(object, { ...scope, fieldManager: 'waygate' });
    return { isNew: false, generation: 0 };
  }
  const { metadata: _, ...rest } = object;
  const metadata = {
    ...there.metadata,
    labels:
      wanted.spec === undefined
        ? { ...there.metadata.labels, ...wanted.metadata.labels }
        : wanted.metadata.labels,
    ...(wanted.metadata.annotations === undefined
      ? {}
      : { annotations: { ...there.metadata.annotations, ...wanted.metadata.annotations } }),
  };
  // The type of a Secret cannot be changed either.
  const kept = { ...there, ...rest, ...(there.type === undefined ? {} : { type: there.type }) };
  const updated = await resource.update({ ...kept, metadata } as DynamicObject, {
    ...scope,
    fieldManager: 'waygate',
  });
  return { isNew: false, generation: updated.metadata.generation ?? 0 };
}

function isOther(there: unknown, wanted: unknown): boolean {
  if (!isObject(there) || !isObject(wanted)) return true;
  return Object.entries(wanted).some(([key, value]) => there[key] !== value);
}

async function untilReady(
  client: KubeClient,
  { noun }: FluxCreate,
  { kind, metadata }: CreatedObject,
  generation: number,
  timeoutMs: number,
  context: CliContext,
): Promise<void> {
  const { name, namespace = '' } = metadata;
  const reported = reportedKind(kind);
  context.stderr.write(`◎ waiting for ${noun} reconciliation\n`);
  const isHandled = ({ status }: ReportedObject) =>
    (status?.observedGeneration ?? -1) >= generation;
  const object = { client, kind: reported, name, namespace };
  await untilReconciled(object, isHandled, timeoutMs, context);
  const now = await client.resource(reported).get(name, { namespace });
  for (const line of doneLines(noun, now)) context.stderr.write(`✔ ${line}\n`);
}

function doneLines(noun: string, { kind, metadata, status }: ReportedObject): readonly string[] {
  if (kind === 'Kustomization' || kind === 'HelmRelease') {
    const revision = status?.lastAppliedRevision ?? status?.lastAttemptedRevision ?? '';
    return [`${noun} ${metadata.name} is ready`, `applied revision ${revision}`];
  }
  if (kind === 'Receiver') {
    const { webhookPath = '' } = (status ?? {}) as { webhookPath?: string };
    return [`Receiver ${metadata.name} is ready`, `generated webhook URL ${webhookPath}`];
  }
  const revision = status?.artifact?.revision;
  return [
    `${noun} reconciliation completed`,
    ...(revision === undefined ? [] : [`fetched revision: ${revision}`]),
  ];
}

const system = 'flux-system';

/** Where flux puts things that nobody gave a place. */
export function systemNamespace(env: CliContext['env']): string {
  return env.FLUX_SYSTEM_NAMESPACE || system;
}

/**
 * Where a new object goes without `-n`: where flux would put it if that namespace is there, and else into
 * the kubeconfig's own, which is said.
 */
export async function placeOf(
  client: KubeClient,
  own: string,
  context: CliContext,
): Promise<string> {
  const wanted = systemNamespace(context.env);
  if (wanted === own) return own;
  const spaces = await client.resourceOf({ apiVersion: 'v1', kind: 'Namespace' });
  try {
    await spaces.get(wanted);
    return wanted;
  } catch (error) {
    if (!isNotFound(error)) return wanted;
  }
  context.stderr.write(
    `There is no namespace ${wanted}; this goes into ${own} (-n names another).\n`,
  );
  return own;
}
