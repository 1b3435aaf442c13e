import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { ObjectStore } from '../store/object-store.ts';
import { resolveOptions } from '../translate/options.ts';
import { type StreamPort, StreamPorts } from './stream-ports.ts';

const made = (kind: string, name: string, fields: object) =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'shop' }, ...fields }) as KubeObject;

function cluster(tcp: Record<string, string>) {
  const store = new ObjectStore();
  store.put(made('ConfigMap', 'tcp', { data: tcp }));
  store.put(
    made('Service', 'db', {
      spec: { type: 'ExternalName', externalName: 'db.test', ports: [{ port: 5432 }] },
    }),
  );
  return { derived: <Result>(_name: string, make: (reader: ObjectStore) => Result) => make(store) };
}
const options = resolveOptions({ nginx: { tcpServices: 'shop/tcp' } });

test('ports are opened when others are wanted, and who cannot be is told of', async () => {
  const asked: (readonly StreamPort[])[] = [];
  const answers: ((answer: readonly (StreamPort & { code: string })[] | Error) => void)[] = [];
  let changes = 0;
  const errors: unknown[] = [];
  const ports = new StreamPorts(
    (wanted) => {
      asked.push(wanted);
      return new Promise((resolve, reject) => {
        answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      });
    },
    () => {
      changes += 1;
    },
    (error) => errors.push(error),
  );
  const answer = async (value: Parameters<(typeof answers)[number]>[0]) => {
    answers.shift()!(value);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const one = cluster({ '9000': 'shop/db:5432' });
  const two = cluster({ '9000': 'shop/db:5432', '9001': 'shop/db:5432' });
  expect(ports.update(cluster({}) as never, options)).toEqual([]);
  expect(asked).toEqual([]);
  expect(ports.update(one as never, options)).toEqual([]);
  expect(ports.update(one as never, options)).toEqual([]);
  expect(asked).toEqual([[{ kind: 'tcp', port: 9000 }]]);
  await answer([]);
  expect(changes).toBe(0);
  // An answer that comes when others are wanted already says nothing.
  ports.update(two as never, options);
  ports.update(one as never, options);
  await answer([{ kind: 'tcp', port: 9000, code: 'EACCES' }]);
  expect(changes).toBe(0);
  await answer([{ kind: 'tcp', port: 9000, code: 'EADDRINUSE' }]);
  expect(changes).toBe(1);
  expect(ports.update(one as never, options)).toEqual([
    {
      object: expect.objectContaining({ kind: 'ConfigMap', name: 'tcp' }),
      field: 'data[9000]',
      message: 'the gateway cannot listen on port 9000: EADDRINUSE',
    },
  ]);
  // What failed is tried again with the next look.
  ports.update(two as never, options);
  await answer(new Error('gone'));
  expect(errors.map(String)).toEqual(['Error: gone']);
  ports.update(two as never, options);
  expect(asked.length).toBe(5);
  await answer([]);
  expect(changes).toBe(2);
  expect(ports.update(two as never, options)).toEqual([]);
  expect(ports.update(one as never, resolveOptions())).toEqual([]);
  expect(asked.at(-1)).toEqual([]);
});
