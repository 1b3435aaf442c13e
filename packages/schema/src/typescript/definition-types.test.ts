import { describe, expect, test } from 'vitest';
import { customResourceDefinition } from '../custom-resource/definition.ts';
import {
  conditions,
  listOf,
  oneOf,
  record,
  text,
  withRules,
} from '../custom-resource/structural-schema.ts';
import { typesOfDefinitions } from './definition-types.ts';

const widget = customResourceDefinition({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  categories: [],
  properties: {
    spec: record(
      { size: oneOf('s', 'l'), 'x-parts.list': listOf(record({ name: text }, ['name'])) },
      ['size'],
    ),
    status: record({ conditions }),
  },
});

describe('the types of a definition', () => {
  test('are its kind, its objects by their place, and what the client needs', () => {
    expect(typesOfDefinitions([widget])).toBe(
      `import { defineKind, type KubeObject } from '@waygate/kube';

export interface Widget extends KubeObject {
  apiVersion?: 'example.com/v1';
  kind?: 'Widget';
  spec?: WidgetSpec;
  status?: WidgetStatus;
}

export const Widget = /* @__PURE__ */ defineKind<Widget>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
});

export interface WidgetSpec {
  size: 's' | 'l';
  'x-parts.list'?: WidgetSpecXPartsListItem[];
}

export interface WidgetSpecXPartsListItem {
  name: string;
}

export interface WidgetStatus {
  conditions?: WidgetStatusConditionsItem[];
}

export interface WidgetStatusConditionsItem {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}
`,
    );
  });

  const version = (name: string, more: object = {}) => ({
    ...widget.spec.versions[0],
    name,
    ...more,
  });
  const withVersions = (...versions: object[]) =>
    ({ ...widget, spec: { ...widget.spec, versions } }) as typeof widget;
  const kindsOf = (text: string) =>
    [...text.matchAll(/export const (\w+) =/gu)].map(([, name]) => name);

  test('are those of each version that is served, the stored one first and without its version', () => {
    const several = withVersions(
      version('v1beta1', { storage: false }),
      version('v1'),
      version('v0', { served: false, storage: false }),
    );
    expect(kindsOf(typesOfDefinitions([several]))).toEqual(['Widget', 'WidgetV1beta1']);
    expect(kindsOf(typesOfDefinitions([several], { version: 'v0' }))).toEqual(['Widget']);
  });

  test('cannot be those of a version that is not there', () => {
    expect(() => typesOfDefinitions([widget], { version: 'v9' })).toThrow(
      'widgets.example.com has no version v9: it has v1',
    );
    expect(() => typesOfDefinitions([withVersions(version('v1', { served: false }))])).toThrow(
      'widgets.example.com has no version that is served: it has v1',
    );
    expect(() => typesOfDefinitions([withVersions()])).toThrow('it has none');
  });

  test('keep out of each other’s way, and out of what they import', () => {
    const kind = (name: string) =>
      ({
        ...widget,
        spec: { ...widget.spec, names: { ...widget.spec.names, kind: name } },
      }) as typeof widget;
    expect(kindsOf(typesOfDefinitions([widget, widget, kind('KubeObject')]))).toEqual([
      'Widget',
      'Widget2',
      'KubeObject2',
    ]);
  });

  test('come from where they are told, with descriptions or without', () => {
    const described = withVersions(
      version('v1', {
        schema: {
          openAPIV3Schema: {
            description: 'A widget.',
            properties: { spec: record({ description: text }) },
          },
        },
      }),
    );
    expect(typesOfDefinitions([described], { from: './kube.ts' })).toContain(
      "from './kube.ts';\n\n/** A widget. */\n",
    );
    const bare = typesOfDefinitions([described], { isBare: true });
    expect(bare).not.toContain('/** A widget. */');
    expect(bare).toContain('description?: string;');
  });
});

describe('a definition', () => {
  test('says only what it was told', () => {
    expect(widget).toMatchObject({
      metadata: { name: 'widgets.example.com' },
      spec: { scope: 'Namespaced', names: { singular: 'widget', listKind: 'WidgetList' } },
    });
    expect(Object.keys(widget.metadata)).toEqual(['name']);
    const [only] = widget.spec.versions;
    expect(Object.keys(only ?? {})).toEqual([
      'name',
      'schema',
      'served',
      'storage',
      'subresources',
    ]);
    expect(only?.schema).not.toHaveProperty('openAPIV3Schema.required');
    expect(only?.schema).not.toHaveProperty('openAPIV3Schema.x-kubernetes-validations');
    expect(record({ a: text })).toEqual({ type: 'object', properties: { a: text } });
  });

  test('says all of it', () => {
    const whole = customResourceDefinition({
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      shortNames: ['w'],
      categories: ['all'],
      annotations: { a: 'b' },
      isClusterScoped: true,
      properties: { spec: withRules(text, ['self != ""', 'not empty']) },
      required: ['spec'],
      rules: [['has(self.spec)', 'a spec']],
      hasStatus: false,
      columns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
    });
    expect(whole.metadata.annotations).toEqual({ a: 'b' });
    expect(whole.spec).toMatchObject({
      scope: 'Cluster',
      names: { shortNames: ['w'], categories: ['all'] },
    });
    const [only] = whole.spec.versions;
    expect(only).not.toHaveProperty('subresources');
    expect(only).toMatchObject({
      additionalPrinterColumns: [{ name: 'A' }],
      schema: {
        openAPIV3Schema: {
          required: ['spec'],
          'x-kubernetes-validations': [{ rule: 'has(self.spec)', message: 'a spec' }],
          properties: {
            spec: { 'x-kubernetes-validations': [{ rule: 'self != ""', message: 'not empty' }] },
          },
        },
      },
    });
  });
});
