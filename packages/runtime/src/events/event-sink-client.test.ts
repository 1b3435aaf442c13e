import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { CoreEventRecorder } from './event-recorder.ts';
import { SeriesEventRecorder } from './event-series-recorder.ts';
import { coreEventSink, eventsV1Sink } from './event-sink-client.ts';

let server: TestServer;
let client: KubeClient;
let namespace: string;
const stopping: AbortController[] = [];
const errors: unknown[] = [];

beforeEach(async () => {
  server = await startTestServer();
  namespace = await server.namespace();
  const credentials = staticToken(server.adminToken);
  client = new KubeClient({ server: server.url, namespace, credentials });
});

afterEach(async () => {
  for (const one of stopping.splice(0)) one.abort();
  await client.close();
  await server.stop();
  expect(errors.splice(0)).toEqual([]);
});

function started(recorder: { run(signal: AbortSignal): Promise<void> }) {
  const controller = new AbortController();
  stopping.push(controller);
  void recorder.run(controller.signal);
}

const regarding = () => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'web' });

test('core Events are created, counted up, and created again when they are gone', async () => {
  const recorder = new CoreEventRecorder({
    sink: coreEventSink(client),
    source: { component: 'test' },
    onError: (error) => errors.push(error),
  });
  started(recorder);
  const events = client.resource(kinds.Event);
  const happensTimes = (count: number) =>
    vi.waitFor(async () => {
      const { items } = await events.list({ namespace });
      expect(items.map((event) => event.count)).toEqual([count]);
    }, patience);
  recorder.event(regarding(), 'Warning', 'Failed', 'it did');
  await happensTimes(1);
  recorder.event(regarding(), 'Warning', 'Failed', 'it did');
  await happensTimes(2);
  const { items } = await events.list({ namespace });
  await events.delete(items[0]!.metadata.name!, { namespace });
  recorder.event(regarding(), 'Warning', 'Failed', 'it did');
  await happensTimes(3);
});

test('events.k8s.io Events become a series', async () => {
  const recorder = new SeriesEventRecorder({
    sink: eventsV1Sink(client),
    reportingController: 'example.com/test',
    reportingInstance: 'test-1',
    onError: (error) => errors.push(error),
  });
  started(recorder);
  const events = client.resource(kinds.EventsEvent);
  recorder.event(regarding(), 'Normal', 'Synced', 'all is well', { action: 'Sync' });
  recorder.event(regarding(), 'Normal', 'Synced', 'all is well', { action: 'Sync' });
  await vi.waitFor(async () => {
    const { items } = await events.list({ namespace });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ series: { count: 2 }, note: 'all is well', action: 'Sync' });
  }, patience);
});
