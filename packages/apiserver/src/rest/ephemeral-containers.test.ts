import { describe, expect, test } from 'vitest';
import { admin, namespace, useAdminWorld, world } from '../../test/admin-world.ts';

useAdminWorld();

const merge = { 'Content-Type': 'application/merge-patch+json' };
const strategic = { 'Content-Type': 'application/strategic-merge-patch+json' };
const at = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
const metadataOf = (body: Record<string, unknown>) => body.metadata as Record<string, unknown>;

describe('ephemeral containers', () => {
  const container = (name: string, rest: object = {}) => ({ name, image: 'busybox', ...rest });
  async function pod(): Promise<string> {
    await admin.ask('POST', at('serviceaccounts'), { metadata: { name: 'default' } });
    const name = world.fresh('p');
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
    await admin.ask('POST', at('pods'), { metadata: { name }, spec });
    return name;
  }
  const add = (name: string, containers: object[], headers = strategic, rest: object = {}) =>
    admin.ask(
      'PATCH',
      `${at('pods')}/${name}/ephemeralcontainers`,
      { ...rest, spec: { ephemeralContainers: containers } },
      headers,
    );

  test('are added one by one, and nothing else is', async () => {
    const name = await pod();
    const first = await add(name, [container('one')]);
    expect(first.body.spec).toMatchObject({
      ephemeralContainers: [
        {
          name: 'one',
          image: 'busybox',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
    });
    const second = await add(name, [container('two', { targetContainerName: 'c' })], strategic, {
      metadata: { labels: { a: 'b' } },
    });
    const { ephemeralContainers } = second.body.spec as { ephemeralContainers: { name: string }[] };
    expect(ephemeralContainers.map((each) => each.name).sort()).toEqual(['one', 'two']);
    expect(metadataOf(second.body)).not.toHaveProperty('labels');
    expect(metadataOf(second.body).generation).toBe(3);
    const read = await admin.ask('GET', `${at('pods')}/${name}/ephemeralcontainers`);
    expect(read.body.kind).toBe('Pod');
  });

  test.each<[string, object[], object, string]>([
    [
      'removed',
      [],
      merge,
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "one" may not be removed\n',
    ],
    [
      'changed',
      [container('one', { image: 'other' })],
      strategic,
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "one" may not be changed\n@@ -1,6 +1,6 @@\n {\n  "Name": "one",\n- "Image": "busybox",\n+ "Image": "other",\n',
    ],
    [
      'called as another',
      [container('c')],
      strategic,
      'spec.ephemeralContainers[0].name: Duplicate value: "c"',
    ],
    [
      'without an image',
      [{ name: 'x' }],
      strategic,
      'spec.ephemeralContainers[0].image: Required value',
    ],
    [
      'aimed at none',
      [container('x', { targetContainerName: 'none' })],
      strategic,
      'spec.ephemeralContainers[0].targetContainerName: Not found: "none"',
    ],
    [
      'relied upon',
      [
        container('x', {
          ports: [{ containerPort: 1 }],
          resources: { limits: { cpu: '1' } },
          livenessProbe: { exec: { command: ['a'] } },
        }),
      ],
      strategic,
      '[spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container, spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container, spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container]',
    ],
  ])('are not %s', async (_title, containers, headers, problem) => {
    const name = await pod();
    await add(name, [container('one')]);
    const verdict = await add(name, containers, headers as typeof merge);
    expect(verdict.message).toContain(`Pod "${name}" is invalid: ${problem}`);
  });

  test('come by their own endpoint only', async () => {
    const name = await pod();
    const body = { spec: { ephemeralContainers: [container('x')] } };
    const changed = await admin.ask('PATCH', `${at('pods')}/${name}`, body, strategic);
    expect(changed.message).toContain('pod updates may not change fields other than');
    const made = await admin.ask('POST', at('pods'), {
      metadata: { name: world.fresh('p') },
      spec: {
        ...body.spec,
        automountServiceAccountToken: false,
        containers: [{ name: 'c', image: 'i' }],
      },
    });
    expect(made.message).toContain('spec.ephemeralContainers: Forbidden: cannot be set on create');
  });
});
