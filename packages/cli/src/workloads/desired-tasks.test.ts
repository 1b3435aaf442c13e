import type { Service } from '@waygate/schema';
import { expect, test } from 'vitest';
import type { Binding } from './binding.ts';
import { desiredTask, type TaskFacts } from './desired-tasks.ts';
import type { BoundService } from './service-bindings.ts';
import { workloadOf } from './workload.ts';

const service = (selector?: Record<string, string>): Service =>
  ({
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ...(selector && { selector }), ports: [{ port: 80 }] },
  }) as Service;

const binding = {
  kind: 'start',
  service: 'web',
  place: 'waygate.yaml:2',
  command: ['node', 'server.mjs'],
  directory: '.',
  env: {},
  port: 0,
  restart: 'always',
  ready: { kind: 'tcp' },
} as unknown as Binding;

const workload = workloadOf('Deployment', {
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', env: [{ name: 'GREETING', value: 'moin' }] }] },
    },
  },
} as never)!;

const facts = (isOverdue: boolean): TaskFacts => ({
  configMap: () => undefined,
  secret: () => undefined,
  isOverdue: () => isOverdue,
  round: () => 0,
  lastPort: () => undefined,
});

const selecting = service({ app: 'web' });
const bound = (rest: Partial<BoundService>): BoundService => ({
  service: selecting,
  binding,
  workloads: [],
  ...rest,
});

test('a program waits a moment for the Deployment that brings its environment', () => {
  expect(desiredTask(bound({}), facts(false))).toEqual({ isEarly: true });
  expect(desiredTask(bound({ workloads: [workload] }), facts(false))).toMatchObject({
    task: { work: { env: { GREETING: 'moin' } } },
  });
});

test.each<[string, Partial<BoundService>, boolean]>([
  ['there is none', {}, true],
  ['the Service selects nothing', { service: service() }, false],
])('it does not wait where %s', (_, rest, isOverdue) => {
  expect(desiredTask(bound(rest), facts(isOverdue))).toHaveProperty('task');
});
