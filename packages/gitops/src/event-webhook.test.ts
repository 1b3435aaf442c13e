import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@waygate/runtime';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import type { NotificationEvent } from './api/notification-event.ts';
import { EventWebhook } from './event-webhook.ts';
import { ControllerEvents } from './notification/controller-events.ts';

const received: NotificationEvent[] = [];
const answers: number[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  received.push(JSON.parse(text) as NotificationEvent);
  response.writeHead(answers.shift() ?? 202).end();
});

const recorded: string[] = [];
const errors: string[] = [];
let clock: FakeClock;
let webhook: ControllerEvents;
let stop: AbortController;
let running: Promise<void>;

const shop = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: 'shop', namespace: 'apps', uid: 'u', resourceVersion: '7' },
};

beforeEach(async () => {
  for (const list of [received, answers, recorded, errors]) list.length = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  clock = new FakeClock();
  stop = new AbortController();
  const told = new EventWebhook({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    clock,
    onError: (error) => errors.push((error as Error).message),
  });
  webhook = new ControllerEvents({
    recorder: { event: (_object, _type, reason) => recorded.push(reason) },
    clock,
    tell: (event) => told.tell(event),
  });
  running = told.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await running;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

describe('events for a webhook', () => {
  test('it gets what the Kubernetes API gets, in the shape of notification-controller', async () => {
    const annotations = { 'kustomize.toolkit.fluxcd.io/revision': 'main@sha1:abc' };
    webhook.event(shop, 'Warning', 'BuildFailed', 'no such file', { annotations });
    await vi.waitFor(() => expect(received).toHaveLength(1), patience);
    expect(recorded).toEqual(['BuildFailed']);
    expect(received[0]).toMatchObject({
      involvedObject: { kind: 'Kustomization', namespace: 'apps', name: 'shop', uid: 'u' },
      severity: 'error',
      reason: 'BuildFailed',
      message: 'no such file',
      metadata: annotations,
      reportingController: 'kustomize-controller',
    });
  });

  test('what the author wrote on the object goes along', async () => {
    const annotations = { 'event.toolkit.fluxcd.io/ticket': 'OPS-7', 'other.example/x': 'y' };
    const object = { ...shop, metadata: { ...shop.metadata, annotations } };
    webhook.event(object, 'Normal', 'ReconciliationSucceeded', 'done');
    await vi.waitFor(() => expect(received).toHaveLength(1), patience);
    expect(received[0]?.metadata).toEqual({ 'event.toolkit.fluxcd.io/ticket': 'OPS-7' });
  });

  test('that nothing happened is told to the Kubernetes API only', async () => {
    webhook.event(shop, 'Normal', 'GitOperationSucceeded', 'no changes since last reconciliation');
    webhook.event(shop, 'Normal', 'NotFound', 'a source that is included is not there yet');
    webhook.event(shop, 'Normal', 'ReconciliationSucceeded', 'done');
    await vi.waitFor(() => expect(received).toHaveLength(1), patience);
    expect(recorded).toEqual(['GitOperationSucceeded', 'NotFound', 'ReconciliationSucceeded']);
    expect(received[0]).toMatchObject({ reason: 'ReconciliationSucceeded', severity: 'info' });
  });

  test('a receiver that fails is tried again', async () => {
    answers.push(500);
    webhook.event(shop, 'Normal', 'ReconciliationSucceeded', 'done');
    await vi.waitFor(() => expect(clock.timerCount).toBe(1), patience);
    await clock.advance(1000);
    await vi.waitFor(() => expect(received).toHaveLength(2), patience);
    expect(errors).toEqual([]);
  });

  test.each([
    [429, []],
    [403, ['the event Done of Kustomization apps/shop was not delivered: HTTP 403']],
  ])('%i ends it', async (status, said) => {
    answers.push(status);
    webhook.event(shop, 'Normal', 'Done', 'first');
    webhook.event(shop, 'Normal', 'Done', 'second');
    await vi.waitFor(() => expect(received).toHaveLength(2), patience);
    expect(received.map(({ message }) => message)).toEqual(['first', 'second']);
    expect(errors).toEqual(said);
  });
});
