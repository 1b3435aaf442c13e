import { customResourceDefinitions } from '@waygate/gitops';
import type { CustomResourceDefinition } from '@waygate/schema';
import { expect, test } from 'vitest';
import { definitionFindings } from './check-definitions.ts';

const find = () =>
  structuredClone(
    customResourceDefinitions().find(({ spec }) => spec.names.kind === 'Kustomization')!,
  );
const ours = find();

interface Open {
  properties: Record<string, Open>;
  items?: Open;
}

const specOf = (definition: CustomResourceDefinition, version = 0): Open =>
  (definition.spec.versions[version]!.schema!.openAPIV3Schema as unknown as Open).properties.spec!;

function changed(change: (definition: CustomResourceDefinition) => void): CustomResourceDefinition {
  const definition = { ...find(), status: { storedVersions: ['v1'] } } as CustomResourceDefinition;
  change(definition);
  return definition;
}

test('what is the same, or has less, loses nothing', () => {
  expect(
    definitionFindings(
      changed(() => {}),
      ours,
    ),
  ).toEqual([]);
  const less = changed((one) => delete specOf(one).properties.ignore);
  expect(definitionFindings(less, ours)).toEqual([]);
});

test('a version that objects are stored in must stay', () => {
  const theirs = changed((one) => {
    one.spec.versions.push({ ...one.spec.versions[0]!, name: 'v2', storage: false });
    one.status!.storedVersions = ['v1', 'v2'];
  });
  const [finding, ...others] = definitionFindings(theirs, ours);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ state: 'failed' });
  expect(finding!.message).toContain('stored as v2');
});

test('a version that is only served is told', () => {
  const theirs = changed((one) =>
    one.spec.versions.push({ ...one.spec.versions[0]!, name: 'v2', storage: false }),
  );
  expect(definitionFindings(theirs, ours)).toMatchObject([
    { state: 'warning', message: expect.stringContaining('v2 would no longer be served') },
  ]);
});

test('fields that only theirs has are named, each once, and not all of them', () => {
  const text = { properties: {} };
  const theirs = changed((one) => {
    for (const version of [0, 1]) specOf(one, version).properties.newer = text;
    specOf(one).properties.images!.items!.properties.mirror = text;
    for (let index = 0; index < 6; index += 1) specOf(one).properties[`more${index}`] = text;
  });
  const [finding] = definitionFindings(theirs, ours);
  expect(finding).toMatchObject({ state: 'warning' });
  expect(finding!.message).toContain('spec.images.mirror, spec.newer');
  expect(finding!.message).toContain('and 3 more');
});
