import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import type { PodLogOptions } from '@waygate/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TaskState } from '../processes/task.ts';
import { OutputBook } from '../workloads/output-book.ts';
import type { BoundService } from '../workloads/service-bindings.ts';
import { LocalPods } from './local-pods.ts';

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const pod = (id: string | undefined, ports: readonly object[] = []) => ({
  metadata: {
    name: 'web-1',
    ...(id === undefined ? {} : { annotations: { 'waygate.dev/stands-for': id } }),
  },
  spec: { containers: [{ name: 'c', ports }, { name: 'side' }] },
});

function pods(binding: object, servicePorts: readonly object[] = [], main = port): LocalPods {
  const output = new OutputBook();
  output.begin('shop/web');
  output.add('shop/web', 0, 'a line');
  output.end('shop/web');
  const bound = { binding: { ports: {}, ...binding }, service: { spec: { ports: servicePorts } } };
  return new LocalPods({
    output,
    bound: (id) => (id === 'shop/web' ? (bound as unknown as BoundService) : undefined),
    state: (id) => (id === 'shop/web' ? ({ port: main } as TaskState) : undefined),
  });
}

const nothing =
  'nothing runs pods here: say in waygate.yaml what stands in for its Service (waygate init proposes it)';

test('only what stands for something can be asked', async () => {
  expect(pods({ kind: 'stub' }).refusal(pod('shop/web'))).toBeUndefined();
  for (const other of [pod('shop/other'), pod(undefined)]) {
    expect(pods({ kind: 'stub' }).refusal(other)).toBe(`pod web-1: ${nothing}`);
    await expect(pods({ kind: 'stub' }).connect(other, 80)).rejects.toThrow(
      `pod web-1: ${nothing}`,
    );
  }
});

const asked: PodLogOptions = {
  container: 'c',
  isFollowing: false,
  isPrevious: false,
  hasTimestamps: false,
  tailLines: undefined,
  sinceMs: undefined,
  signal: new AbortController().signal,
};

test.each([
  [{ kind: 'start' }, 'a line\n'],
  [
    { kind: 'attach', host: '10.0.0.1', port: 3 },
    'this pod is what listens on 10.0.0.1:3: waygate did not start it, its output is where it runs\n',
  ],
])('the log of %j', async (binding, expected) => {
  let all = '';
  for await (const line of pods(binding).log(pod('shop/web'), asked)) all += line;
  expect(all).toBe(expected);
});

describe('a port of the Pod', () => {
  const http = { name: 'http', containerPort: 8080 };
  test.each<[string, object[], object[], object, number]>([
    ['that the Service leads to by number', [], [{ port: 80, targetPort: 8080 }], {}, 8080],
    ['that the Service leads to by its own number', [], [{ port: 8080 }], {}, 8080],
    ['that the Service leads to by name', [http], [{ port: 80, targetPort: 'http' }], {}, 8080],
    ['that no Service leads to', [http], [{ port: 80, targetPort: 'other' }], {}, 8080],
  ])('%s is where the process listens', async (_name, ports, servicePorts, binding, asked) => {
    const socket = await pods({ kind: 'start', ...binding }, servicePorts).connect(
      pod('shop/web', ports),
      asked,
    );
    expect(await text(socket)).toBe('hello');
  });

  test.each<[string, object[], object[], (at: number) => object]>([
    [
      'of the Service, by name',
      [],
      [{ name: 'metrics', port: 80, targetPort: 9 }],
      (at) => ({ metrics: at }),
    ],
    ['of the Service, by number', [], [{ port: 80, targetPort: 9 }], (at) => ({ 80: at })],
    [
      'of a container, by name',
      [{ name: 'metrics', containerPort: 9 }],
      [],
      (at) => ({ metrics: at }),
    ],
    ['of a container, by number', [{ containerPort: 9 }], [], (at) => ({ 9: at })],
  ])('%s may be served elsewhere', async (_name, ports, servicePorts, elsewhere) => {
    const local = pods({ kind: 'start', ports: elsewhere(port) }, servicePorts, 1);
    expect(await text(await local.connect(pod('shop/web', ports), 9))).toBe('hello');
  });

  test('is where it is attached', async () => {
    const local = pods({ kind: 'attach', host: '127.0.0.1' }, [{ port: 8080 }]);
    expect(await text(await local.connect(pod('shop/web'), 8080))).toBe('hello');
  });

  test.each([
    [[], 'pod web-1 has no port 9'],
    [[{ containerPort: 1 }, { containerPort: 2 }], 'pod web-1 has no port 9; it has 1, 2'],
  ])('that is none of %j', async (ports, message) => {
    await expect(pods({ kind: 'start' }).connect(pod('shop/web', ports), 9)).rejects.toThrow(
      new Error(message),
    );
  });
});
