import { problemsText, typedProblems } from '../managed/typed-check.ts';
import type { CustomResourceBehaviour } from '../resources/resource.ts';
import type { StructNode } from '../typed-schema/type-node.ts';
import type { Definition, DefinitionVersion } from './definition.ts';
import { structuralType } from './structural-type.ts';

/**
 * Who owns which fields is settled in the version that each owner wrote in. Kubernetes converts the
 * object to that version first, and does not prune it then: an owner in a version that lacks a field
 * of the object, or that is gone from the definition, is in the way of every apply.
 *
 * With a conversion webhook only the second is looked at: what the webhook would answer is taken for right.
 */
export function versionSight(
  { spec, status }: Definition,
  own: DefinitionVersion,
): CustomResourceBehaviour['problemInVersion'] {
  const types = new Map<string, StructNode>();
  const typeOf = (version: DefinitionVersion): StructNode => {
    const known = types.get(version.name);
    if (known !== undefined) return known;
    const type = structuralType(status.acceptedNames.kind, version.schema?.openAPIV3Schema);
    types.set(version.name, type);
    return type;
  };
  return ({ apiVersion: _apiVersion, kind: _kind, ...body }, apiVersion) => {
    const version = spec.versions.find(({ name }) => `${spec.group}/${name}` === apiVersion);
    if (version === undefined)
      return `request to convert CR to an invalid group/version: ${apiVersion}`;
    if (version.name === own.name || spec.conversion?.strategy === 'Webhook') return undefined;
    const problems = typedProblems(body, typeOf(version));
    return problems.length === 0 ? undefined : problemsText(problems);
  };
}
