import { customResourceDefinitions as gitopsDefinitions } from '@waygate/gitops';
import { customResourceDefinitions as ingressDefinitions } from '@waygate/ingress';
import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { type CustomResourceDefinition, kinds } from '@waygate/schema';
import type { ControllerName } from '../controllers-option.ts';
import type { Finding } from './finding.ts';

const area = 'definitions';
const keepTheirs =
  'Install with deploy/components/without-crds to keep the definition that is there.';
const mostFields = 5;

/** What applying deploy/crds would take away from the definitions that are there. */
export async function checkDefinitions(
  client: KubeClient,
  controllers: readonly ControllerName[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const ours = [
    ...(controllers.includes('ingress') ? ingressDefinitions() : []),
    ...(controllers.some((name) => name !== 'ingress') ? gitopsDefinitions() : []),
  ];
  const resource = client.resource(kinds.CustomResourceDefinition);
  const findings: Finding[] = [];
  for (const definition of ours) {
    try {
      const theirs = await resource.get(definition.metadata.name!, {}, { signal });
      findings.push(...definitionFindings(theirs, definition));
    } catch (error) {
      if (isNotFound(error)) continue;
      if (!isForbidden(error)) throw error;
      const message = 'this user may not read definitions: whether ours fit over them is not known';
      return [{ area, state: 'warning', message }];
    }
  }
  if (findings.length > 0) return findings;
  return [{ area, state: 'ok', message: 'deploy/crds takes nothing away' }];
}

/** What one definition of ours would take away from the one that is there. */
export function definitionFindings(
  theirs: CustomResourceDefinition,
  ours: CustomResourceDefinition,
): Finding[] {
  const { name } = theirs.metadata;
  const versionsOf = ({ spec }: CustomResourceDefinition) => spec.versions.map((one) => one.name);
  const known = new Set(versionsOf(ours));
  const findings: Finding[] = [];
  const stored = (theirs.status?.storedVersions ?? []).filter((version) => !known.has(version));
  if (stored.length > 0) {
    const message = `${name}: objects are stored as ${stored.join(', ')}, which ours does not have; it would be refused`;
    findings.push({ area, state: 'failed', message, hint: keepTheirs });
  }
  const served = theirs.spec.versions
    .filter((version) => version.served && !known.has(version.name))
    .map((version) => version.name)
    .filter((version) => !stored.includes(version));
  if (served.length > 0) {
    const message = `${name}: ${served.join(', ')} would no longer be served`;
    findings.push({ area, state: 'warning', message, hint: keepTheirs });
  }
  const fields = lostFields(theirs, ours);
  if (fields.length > 0) {
    const shown = fields.slice(0, mostFields).join(', ');
    const more = fields.length > mostFields ? ` and ${fields.length - mostFields} more` : '';
    const message = `${name}: fields that ours does not have would be dropped at the next write: ${shown}${more}`;
    findings.push({ area, state: 'warning', message, hint: keepTheirs });
  }
  return findings;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Fields of the versions that both have which only theirs knows, each once. */
function lostFields(theirs: CustomResourceDefinition, ours: CustomResourceDefinition): string[] {
  const lost = new Set<string>();
  for (const version of theirs.spec.versions) {
    const own = ours.spec.versions.find(({ name }) => name === version.name);
    if (own !== undefined) compare(schemaOf(version), schemaOf(own), '', lost);
  }
  return [...lost];
}

function schemaOf({ schema }: CustomResourceDefinition['spec']['versions'][number]): Schema {
  return (schema?.openAPIV3Schema ?? {}) as Schema;
}

function compare(theirs: Schema, ours: Schema, path: string, lost: Set<string>): void {
  if (ours['x-kubernetes-preserve-unknown-fields']) return;
  for (const [name, part] of Object.entries(theirs.properties ?? {})) {
    const own = ours.properties?.[name];
    const at = path === '' ? name : `${path}.${name}`;
    if (own === undefined) lost.add(at);
    else compare(part, own, at, lost);
  }
  if (theirs.items !== undefined && ours.items !== undefined)
    compare(theirs.items, ours.items, path, lost);
  if (
    typeof theirs.additionalProperties === 'object' &&
    typeof ours.additionalProperties === 'object'
  )
    compare(theirs.additionalProperties, ours.additionalProperties, path, lost);
}
