import { describe, expect, test } from 'vitest';
import type { CustomResourceDefinition, JsonSchemaProps } from '../api/machinery.ts';
import { typesOfDefinitions } from './definition-types.ts';

const text: JsonSchemaProps = { type: 'string' };
const record = (
  properties: Record<string, JsonSchemaProps>,
  required: string[] = [],
): JsonSchemaProps => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});
const condition = record(
  {
    type: text,
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: text,
    message: text,
    lastTransitionTime: { type: 'string', format: 'date-time' },
    observedGeneration: { type: 'integer', format: 'int64' },
  },
  ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
);

const widget: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: record({
            apiVersion: text,
            kind: text,
            metadata: { type: 'object' },
            spec: record(
              {
                size: { type: 'string', enum: ['s', 'l'] },
                'x-parts.list': { type: 'array', items: record({ name: text }, ['name']) },
              },
              ['size'],
            ),
            status: record({ conditions: { type: 'array', items: condition } }),
          }),
        },
      },
    ],
  },
};

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
