import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KubeObject } from '@waygate/schema';
import { parseYaml } from '@waygate/text';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseProjectFile } from './project-file.ts';
import { proposeProject } from './proposal.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-proposal-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const object = (yaml: string) => parseYaml(yaml) as KubeObject;

const service = (name: string, more = '{selector: {app: web}}', namespace = '') =>
  object(
    `{apiVersion: v1, kind: Service, metadata: {name: ${name}${namespace && `, namespace: ${namespace}`}}, spec: ${more}}`,
  );
const workload = (kind: string, ports: string, labels = '{app: web}') =>
  object(
    `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: w}, spec: {selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}, spec: {containers: [{name: c, ports: ${ports}}, {name: side}]}}}}`,
  );
const ingress = (rules: string, apiVersion = 'networking.k8s.io/v1') =>
  object(
    `{apiVersion: ${apiVersion}, kind: Ingress, metadata: {name: i}, spec: {rules: ${rules}}}`,
  );

/** What is proposed below the four lines of comment. */
function proposed(
  objects: readonly KubeObject[],
  files: Readonly<Record<string, string>> = {},
  path?: string,
): string[] {
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { text } = proposeProject(objects, directory, path);
  expect(parseProjectFile(text, directory).problems).toEqual([]);
  expect(
    text
      .split('\n')
      .slice(0, 4)
      .every((line) => line.startsWith('#')),
  ).toBe(true);
  return text.trimEnd().split('\n').slice(4);
}

describe('what stands in for a Service', () => {
  const stub = (comment = '') => ['services:', `  web:${comment}`, '    stub: echo'];
  test.each<[string, readonly KubeObject[], readonly string[]]>([
    ['none', [], ['services: {}']],
    ['one with nothing behind it', [service('web')], stub()],
    [
      'one with a Deployment',
      [service('web'), workload('Deployment', '[{containerPort: 80}, {containerPort: 90}]')],
      stub(' # Deployment w, port 80, 90'),
    ],
    [
      'one with a DaemonSet without ports',
      [service('web'), workload('DaemonSet', '[]')],
      stub(' # DaemonSet w'),
    ],
    [
      'one with a StatefulSet',
      [service('web'), workload('StatefulSet', '[]')],
      stub(' # StatefulSet w'),
    ],
    [
      'one with a ReplicaSet, which is nobody’s to start',
      [service('web'), workload('ReplicaSet', '[]')],
      stub(),
    ],
    [
      'one whose Pods are others',
      [service('web'), workload('Deployment', '[]', '{app: other}')],
      stub(),
    ],
    [
      'one of another namespace than the Pods',
      [service('web', '{selector: {app: web}}', 'shop'), workload('Deployment', '[]')],
      stub(),
    ],
    [
      'one that is elsewhere',
      [service('web', '{type: ExternalName, selector: {app: web}}')],
      ['services: {}'],
    ],
    ['one with endpoints of its own', [service('web', '{}')], ['services: {}']],
    [
      'two of one name',
      [service('web', undefined, 'a'), service('web', undefined, 'b'), service('mail')],
      [
        'services:',
        '  a/web:',
        '    stub: echo',
        '  b/web:',
        '    stub: echo',
        '  mail:',
        '    stub: echo',
      ],
    ],
  ])('%s', (_name, objects, lines) => {
    expect(proposed(objects)).toEqual(lines);
  });
});

describe('the program of a Service', () => {
  const start = '{"scripts": {"start": "node ."}}';
  const named = (name: string) => `{"name": "${name}", "scripts": {"start": "node ."}}`;
  test.each<[string, Record<string, string>, readonly string[]]>([
    ['beside the manifests', { 'package.json': start }, ['command: npm run start']],
    [
      'with a script for work, which is taken first',
      { 'package.json': '{"scripts": {"start": "a", "dev": "b"}}' },
      ['command: npm run dev'],
    ],
    [
      'in a directory of its name',
      { 'web/package.json': start },
      ['command: npm run start', 'directory: web'],
    ],
    [
      'among apps',
      { 'apps/web/package.json': start },
      ['command: npm run start', 'directory: apps/web'],
    ],
    [
      'among services',
      { 'services/web/package.json': start },
      ['command: npm run start', 'directory: services/web'],
    ],
    [
      'among packages',
      { 'packages/web/package.json': start },
      ['command: npm run start', 'directory: packages/web'],
    ],
    [
      'in a directory of its name, rather than in one that is called so',
      { 'apps/web/package.json': start, 'server/package.json': named('web') },
      ['command: npm run start', 'directory: apps/web'],
    ],
    [
      'called so in its package.json',
      {
        'other/package.json': named('other'),
        'server/package.json': named('web'),
        'package.json': start,
      },
      ['command: npm run start', 'directory: server'],
    ],
    [
      'called so in a scope',
      { 'apps/server/package.json': named('@team/web') },
      ['command: npm run start', 'directory: apps/server'],
    ],
  ])('%s', (_name, files, lines) => {
    expect(proposed([service('web')], files)).toEqual([
      'services:',
      '  web:',
      '    start:',
      ...lines.map((line) => `      ${line}`),
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['one without a script', { 'package.json': '{"name": "web"}' }],
    ['one with a script for something else', { 'package.json': '{"scripts": {"test": "a"}}' }],
    ['scripts that are none', { 'package.json': '{"scripts": ["start"]}' }],
    ['one that cannot be read', { 'package.json': '{' }],
    ['one of somebody else', { 'server/package.json': named('mail') }],
  ])('%s: a stub stands in', (_name, files) => {
    expect(proposed([service('web')], files)).toEqual(['services:', '  web:', '    stub: echo']);
  });
});

test('the path that is built comes first', () => {
  expect(proposed([], {}, 'overlays/dev')).toEqual(['path: overlays/dev', 'services: {}']);
});

test.each<[string, readonly KubeObject[], string | undefined]>([
  [
    'the first path of an Ingress',
    [ingress('[{http: {paths: [{path: /book, pathType: Prefix}, {path: /b}]}}]')],
    '/book',
  ],
  [
    'the root, which is asked for anyway',
    [ingress('[{http: {paths: [{pathType: Prefix}]}}]')],
    undefined,
  ],
  [
    'none of a rule for a host',
    [ingress('[{host: a.test, http: {paths: [{path: /a}]}}, {}, {http: {paths: [{path: /b}]}}]')],
    '/b',
  ],
  [
    'none that may be a pattern',
    [ingress('[{http: {paths: [{path: /~/a, pathType: ImplementationSpecific}]}}]')],
    undefined,
  ],
  [
    'none of an old Ingress',
    [ingress('[{http: {paths: [{path: /a}]}}]', 'extensions/v1beta1')],
    undefined,
  ],
  ['none of an Ingress without rules', [ingress('null')], undefined],
])('the request to try: %s', (_name, objects, path) => {
  const rest = path === undefined ? [] : [`try: {path: "${path}"}`];
  expect(proposed(objects)).toEqual(['services: {}', ...rest]);
});
