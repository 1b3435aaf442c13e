import { expect, test } from 'vitest';
import { programs } from './programs.ts';

// What each program prints, run as it stands.
const prints: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  watch: [
    '1 there already',
    'ADDED settings red',
    'MODIFIED settings blue',
    'DELETED settings blue',
  ],
  'server-side-apply': [
    '{"color":"red","size":"large"}',
    'conflict with "design": .data.color',
    '{"color":"blue"}',
    'managed by layout',
  ],
  finalizer: ['made photos in north', 'emptied photos'],
  'leader-election': ['first leads', 'first leads no more', 'second leads', 'second leads no more'],
  informer: ['on worker-1: a, c', 'annotations kept: 0'],
  kustomize: [
    'apiVersion: apps/v1',
    'kind: Deployment',
    'metadata:',
    '  name: prod-web',
    'spec:',
    '  replicas: 3',
    '  template:',
    '    spec:',
    '      containers:',
    '      - image: web:2.1',
    '        name: web',
  ],
  passthrough: ['hello from shop.example.com', 'hello from blog.example.com', /^refused: .*alert/],
};

test('every program has its lines here', () => {
  expect(Object.keys(prints)).toEqual(Object.keys(programs));
});

test.each(Object.entries(programs))('%s', async (name, run) => {
  const lines: string[] = [];
  await run((line) => lines.push(line));
  expect(lines).toEqual(
    prints[name]?.map((line) => (line instanceof RegExp ? expect.stringMatching(line) : line)),
  );
});
