import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { DeletedFinalStateUnknown } from '../cache/deleted-final-state-unknown.ts';
import type { ResourceEventHandler } from '../cache/resource-event-handler.ts';
import {
  type HandlerTarget,
  type InformerSourceOptions,
  informerSource,
} from './controller-source.ts';

const object = (name: string, metadata: object = {}): KubeObject => ({
  metadata: { name, namespace: 'n', ...metadata },
});

/** A source that is started on an informer of which the test plays the part. */
async function fed(options: InformerSourceOptions<KubeObject, string> = {}) {
  const told: string[] = [];
  let handler: ResourceEventHandler<KubeObject> | undefined;
  const registration = { waitForSync: async () => void told.push('synced') };
  const informer = {
    addEventHandler: (given: ResourceEventHandler<KubeObject>) => {
      handler = given;
      return registration;
    },
    removeEventHandler: (given: unknown) => void told.push(`removed ${given === registration}`),
  } as unknown as HandlerTarget<KubeObject>;
  const abort = new AbortController();
  const source = informerSource<KubeObject>(informer, options);
  await source.start((key, given) => {
    told.push(given === undefined ? key : `${key} ${given.isLowPriority ? 'low' : 'high'}`);
  }, abort.signal);
  expect(told.splice(0)).toEqual(['synced']);
  return { handler: handler!, told, abort, source };
}

describe('an informer feeds', () => {
  test('its own keys: what was there and what did not change with less haste', async () => {
    const { handler, told } = await fed();
    void handler.onAdd?.(object('a'), true);
    void handler.onAdd?.(object('b'), false);
    void handler.onUpdate?.(object('c'), object('c'));
    void handler.onUpdate?.(
      object('d', { resourceVersion: '1' }),
      object('d', { resourceVersion: '1' }),
    );
    void handler.onUpdate?.(
      object('e', { resourceVersion: '1' }),
      object('e', { resourceVersion: '2' }),
    );
    void handler.onDelete?.(object('f'));
    expect(told).toEqual(['n/a low', 'n/b high', 'n/c high', 'n/d low', 'n/e high', 'n/f high']);
  });

  test('the keys of what was and of what is, each once', async () => {
    const map = ({ metadata }: KubeObject) => (metadata.labels?.to ?? '').split(',');
    const { handler, told } = await fed({ map });
    void handler.onUpdate?.(
      object('a', { labels: { to: 'x,y' } }),
      object('a', { labels: { to: 'y,z' } }),
    );
    expect(told).toEqual(['x high', 'y high', 'z high']);
  });

  test('the last that was known of what is gone, or but its key', async () => {
    const gone = [
      new DeletedFinalStateUnknown<KubeObject>('n/old', object('known')),
      new DeletedFinalStateUnknown<KubeObject>('n/old', undefined),
    ];
    const own = await fed();
    for (const one of gone) void own.handler.onDelete?.(one);
    expect(own.told).toEqual(['n/known high', 'n/old']);
    const mapped = await fed({ map: () => ['x'] });
    for (const one of gone) void mapped.handler.onDelete?.(one);
    expect(mapped.told).toEqual(['x high']);
  });

  test('only what passes all predicates, which see the change', async () => {
    const seen: unknown[] = [];
    const { handler, told } = await fed({
      predicates: [
        (event) => {
          seen.push(event.type);
          return event.type !== 'delete';
        },
        ({ object: { metadata } }) => metadata.name !== 'b',
      ],
    });
    void handler.onAdd?.(object('a'), false);
    void handler.onAdd?.(object('b'), false);
    void handler.onUpdate?.(object('a'), object('b'));
    void handler.onDelete?.(object('a'));
    expect([told, seen]).toEqual([['n/a high'], ['add', 'add', 'update', 'delete']]);
  });

  test('nothing of a change that cannot be mapped, and the next all the same', async () => {
    const errors: unknown[] = [];
    const map = ({ metadata }: KubeObject) => {
      if (metadata.name === 'a') throw new Error('no');
      return ['x'];
    };
    const { handler, told } = await fed({ map, onError: (error) => errors.push(error) });
    void handler.onAdd?.(object('a'), false);
    void handler.onAdd?.(object('b'), false);
    expect([told, errors]).toEqual([['x high'], [new Error('no')]]);
    const silent = await fed({ map });
    void silent.handler.onAdd?.(object('a'), false);
    expect(silent.told).toEqual([]);
  });

  test('until it is stopped', async () => {
    const { told, abort, source } = await fed({ name: 'things' });
    expect(source.name).toBe('things');
    abort.abort();
    expect(told).toEqual(['removed true']);
  });
});
