import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { spanIdOf, traceIdOf } from './trace-ids.ts';
import { type Span, Tracer } from './tracer.ts';
import { tracingSettings } from './tracing-settings.ts';

interface Taken {
  readonly path: string | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: { resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[] };
}

/** A collector over a socket, which answers as it is told, or not at all. */
async function collector(answer: (response: ServerResponse) => void) {
  const taken: Taken[] = [];
  const served = { answer };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      taken.push({ path: request.url, headers: request.headers, body: JSON.parse(text) });
      served.answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const spans = () =>
    taken.flatMap(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans ?? []);
  return { url, taken, spans, served, [Symbol.asyncDispose]: close };
}

const status = (code: number, body = '{}') => {
  return (response: ServerResponse) => response.writeHead(code).end(body);
};
const revision = {
  sourceUid: 'uid',
  revision: 'main@sha1:1eabc9a41ca088515cab83f1cce49eb43e84b67f',
};
const step = { name: 'build', startMs: 1_700_000_000_000.25, endMs: 1_700_000_000_010 };

function exporterTo(url: string, options: object = {}) {
  const errors: string[] = [];
  const clock = new FakeClock();
  const exporter = new OtlpExporter({
    url: `${url}/v1/traces`,
    headers: { authorization: 'Bearer secret' },
    resource: { 'service.name': 'waygate' },
    onError: ({ message }) => errors.push(message),
    clock,
    ...options,
  });
  const stopping = new AbortController();
  const running = exporter.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  return { exporter, errors, stop, clock };
}

test('steps of one revision are one trace, below one span, whoever tells of them', async () => {
  await using server = await collector(status(200));
  const [one, other] = [exporterTo(server.url), exporterTo(server.url)];
  new Tracer(one.exporter).commit(revision, step);
  const parentSpanId = new Tracer(one.exporter).step(revision, {
    ...step,
    attributes: { files: 3, whole: true, share: 0.5 },
  });
  const tracer = new Tracer(other.exporter);
  tracer.step(revision, { ...step, name: 'sync', parentSpanId, error: 'refused' });
  await one.stop();
  await other.stop();
  const spans = server.spans();
  const traceId = traceIdOf(revision);
  const root = spanIdOf(revision, 'commit', 'uid');
  expect(traceId).toMatch(/^[0-9a-f]{32}$/u);
  expect(spans.map((span) => span.traceId)).toEqual([traceId, traceId, traceId]);
  expect(spans.map((span) => span.parentSpanId)).toEqual([undefined, root, spans[1]?.spanId]);
  expect(spans[0]).toMatchObject({ name: 'commit', spanId: root });
  expect(spans[1]).toMatchObject({
    name: 'build',
    startTimeUnixNano: '1700000000000250000',
    endTimeUnixNano: '1700000000010000000',
    attributes: [
      { key: 'files', value: { intValue: '3' } },
      { key: 'whole', value: { boolValue: true } },
      { key: 'share', value: { doubleValue: 0.5 } },
    ],
    status: {},
  });
  expect(spans[2]).toMatchObject({ name: 'sync', status: { code: 2, message: 'refused' } });
  expect(server.taken[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
  });
});

test('another revision, and the same one of another source, are traces of their own', () => {
  const ids = [
    revision,
    { ...revision, revision: 'main@sha1:other' },
    { ...revision, sourceUid: 'x' },
    // No two lists of texts are one.
    { sourceUid: 'uidm', revision: revision.revision.slice(1) },
  ].map(traceIdOf);
  expect(new Set(ids).size).toBe(4);
});

test.each([
  [401, 'refused'],
  [307, 'refused'],
  [500, 'refused'],
])(
  'what a collector answers %i to is lost, which is told once and without the header',
  async (code) => {
    await using server = await collector((response) =>
      response.writeHead(code, { location: '/elsewhere' }).end(),
    );
    const { exporter, errors, stop, clock } = exporterTo(server.url);
    const tracer = new Tracer(exporter);
    for (let count = 1; count <= 3; count += 1) {
      tracer.step(revision, step);
      await clock.advance(30_000);
      await expect.poll(() => exporter.droppedCount).toBe(count);
    }
    await stop();
    expect(errors).toEqual([`no traces: the collector answered ${code}`]);
    expect(server.taken.every(({ path }) => path === '/v1/traces')).toBe(true);
  },
);

test('a collector that is away for a while gets what waited, in order, and the next failure is news', async () => {
  await using server = await collector(status(503));
  const { exporter, errors, stop, clock } = exporterTo(server.url);
  const tracer = new Tracer(exporter);
  tracer.step(revision, { ...step, name: 'first' });
  await clock.advance(5_000);
  await expect.poll(() => errors).toEqual(['no traces: the collector answered 503']);
  tracer.step(revision, { ...step, name: 'second' });
  server.served.answer = status(200);
  await clock.advance(30_000);
  await expect
    .poll(() => server.taken.at(-1)?.body.resourceSpans[0]?.scopeSpans[0]?.spans)
    .toMatchObject([{ name: 'first' }, { name: 'second' }]);
  expect(exporter.droppedCount).toBe(0);
  await expect
    .poll(async () => {
      await clock.advance(5_000);
      server.served.answer = status(429);
      tracer.step(revision, step);
      return errors;
    })
    .toHaveLength(2);
  await stop();
});

test('a collector that never answers holds nothing up, and a full queue loses what comes', async () => {
  await using server = await collector(() => undefined);
  const options = { queueSize: 5, batchSize: 2, timeoutMs: 50 };
  const { exporter, errors, stop, clock } = exporterTo(server.url, options);
  const tracer = new Tracer(exporter);
  for (let count = 0; count < 100; count += 1) tracer.step(revision, step);
  expect(exporter.droppedCount).toBe(95);
  await clock.advance(5_000);
  await expect.poll(() => errors).toHaveLength(1);
  expect(errors[0]).toContain('cannot be reached');
  await stop();
  expect(exporter.droppedCount).toBe(100);
});

test('what is left at the end has two seconds, by the clock', async () => {
  await using server = await collector(() => undefined);
  const { exporter, stop, clock } = exporterTo(server.url);
  new Tracer(exporter).step(revision, step);
  let hasEnded = false;
  const stopped = stop().then(() => {
    hasEnded = true;
  });
  await expect.poll(() => server.taken).toHaveLength(1);
  await clock.advance(1_999);
  expect([hasEnded, exporter.droppedCount]).toEqual([false, 0]);
  await clock.advance(1);
  await stopped;
  expect(exporter.droppedCount).toBe(1);
});

test('a collector that is not there is told of once, and the end does not wait for it', async () => {
  const { exporter, errors, stop, clock } = exporterTo('http://127.0.0.1:1');
  new Tracer(exporter).step(revision, step);
  await clock.advance(5_000);
  await expect.poll(() => errors).toHaveLength(1);
  await stop();
  expect(exporter.droppedCount).toBe(1);
});

test.each([
  [
    'says that it kept none of it',
    '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"x"}}',
    1,
  ],
  ['talks nonsense', '<html>', 0],
  ['says a nonsensical number', '{"partialSuccess":{"rejectedSpans":-4}}', 0],
  ['says nothing', '', 0],
  ['says null', 'null', 0],
  ['has no end', 'x'.repeat(1_000_000), 0],
])('a collector that %s is taken at its status', async (_, body, dropped) => {
  await using server = await collector(status(200, body));
  const { exporter, errors, stop } = exporterTo(server.url);
  new Tracer(exporter).step(revision, step);
  await stop();
  expect([exporter.droppedCount, errors, server.spans().length]).toEqual([dropped, [], 1]);
});

test('a sink that throws does not fail the work, and long errors are cut', () => {
  const sink = {
    take: () => {
      throw new Error('broken');
    },
  };
  new Tracer(sink).step(revision, step);
  const kept: Span[] = [];
  const tracer = new Tracer({ take: (span) => kept.push(span) });
  tracer.step(revision, { ...step, error: 'x'.repeat(9_999) });
  expect(kept[0]?.error).toHaveLength(1_024);
});

test('of a ratio of traces all spans are kept, and of the others none', () => {
  const kept: Span[] = [];
  const tracer = new Tracer({ take: (span) => kept.push(span) }, 0.25);
  for (let count = 0; count < 400; count += 1) {
    tracer.step({ sourceUid: 'uid', revision: `r${count}` }, step);
    tracer.commit({ sourceUid: 'uid', revision: `r${count}` }, step);
  }
  const traces = new Set(kept.map(({ traceId }) => traceId));
  expect(kept).toHaveLength(traces.size * 2);
  expect(traces.size).toBeGreaterThan(60);
  expect(traces.size).toBeLessThan(140);
});

test.each([
  [{}, undefined, undefined],
  [{}, 'http://flag:1', 'http://flag:1/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env' }, 'http://flag:1', 'http://flag:1/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, '', 'http://c:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/own' }, undefined, 'http://c/own'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }, undefined, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' }, undefined, undefined],
])('%j and %s lead to %s', (environment, endpoint, url) => {
  expect(tracingSettings(environment, 'waygate', { endpoint }).exporter?.url).toBe(url);
});

test('headers, attributes, sizes, the sampler and what is wrong are read from the environment', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, tenant=a, broken=%zz, nothing',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
    OTEL_BSP_MAX_QUEUE_SIZE: '7',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=theirs',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  };
  const settings = tracingSettings(environment, 'waygate');
  expect(settings).toMatchObject({
    exporter: {
      headers: { authorization: 'Bearer x', tenant: 'a', broken: '%zz' },
      resource: { 'service.name': 'mine', 'deployment.environment': 'test' },
      timeoutMs: 2_000,
      queueSize: 7,
    },
    caFile: '/ca.pem',
    ratio: 0.5,
    problems: [],
    warnings: [expect.stringContaining('grpc')],
  });
  expect(tracingSettings(environment, 'waygate', { ratio: '0.1' }).ratio).toBe(0.1);
  const wrong = {
    ...environment,
    OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
    OTEL_BSP_SCHEDULE_DELAY: '0',
  };
  const flags = { endpoint: 'user:secret@collector:4318', ratio: '2' };
  const { problems } = tracingSettings(wrong, 'waygate', flags);
  expect(problems).toHaveLength(4);
  expect(problems.join()).not.toContain('secret');
});
