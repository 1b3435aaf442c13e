import { describe, expect, test } from 'vitest';
import { type TracingFlags, tracingSettings } from './tracing-settings.ts';

const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const settings = (environment: Record<string, string>, flags: TracingFlags = {}) =>
  tracingSettings({ ...on, ...environment }, 'waygate', flags);

describe('traces', () => {
  test.each([
    ['without an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['when all is off', { OTEL_SDK_DISABLED: 'True' }],
    ['when nobody is to get them', { OTEL_TRACES_EXPORTER: 'none' }],
  ])('are off %s', (_, environment) => {
    expect(settings(environment)).toEqual({
      exporter: undefined,
      caFile: undefined,
      ratio: 0,
      problems: [],
      warnings: [],
    });
  });

  test('are all kept and sent with nothing but their names, unless told otherwise', () => {
    expect(settings({ OTEL_SDK_DISABLED: 'no', OTEL_TRACES_EXPORTER: 'otlp' })).toEqual({
      exporter: {
        url: 'http://collector:4318/v1/traces',
        headers: {},
        timeoutMs: undefined,
        delayMs: undefined,
        queueSize: undefined,
        batchSize: undefined,
        resource: { 'service.name': 'waygate' },
      },
      caFile: undefined,
      ratio: 1,
      problems: [],
      warnings: [],
    });
  });

  test('are sent as the variables say, those of traces before those of all signals', () => {
    expect(
      settings({
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/x',
        OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: ' b = x%20y , c=100%,=none,d,e=f=g',
        OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
        OTEL_BSP_SCHEDULE_DELAY: '1',
        OTEL_BSP_MAX_QUEUE_SIZE: '2',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '3',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=shop',
        OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
      }),
    ).toMatchObject({
      exporter: {
        url: 'https://traces/x',
        headers: { b: 'x y', c: '100%', e: 'f=g' },
        timeoutMs: 5_000,
        delayMs: 1,
        queueSize: 2,
        batchSize: 3,
        resource: { 'service.name': 'other', team: 'shop' },
      },
      caFile: '/ca.pem',
      problems: [],
      warnings: [],
    });
    const named = settings({
      OTEL_SERVICE_NAME: 'mine',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=x',
    });
    expect(named.exporter?.resource).toEqual({ 'service.name': 'mine' });
  });

  test.each([
    ['always_on', undefined, 1, 0],
    ['always_off', undefined, 0, 0],
    ['parentbased_always_off', undefined, 0, 0],
    ['traceidratio', '0.25', 0.25, 0],
    ['parentbased_traceidratio', '0', 0, 0],
    ['traceidratio', undefined, 1, 0],
    ['traceidratio', '2', 1, 1],
    ['traceidratio', '-1', 1, 1],
    ['jaeger_remote', '0.5', 1, 1],
  ])('are sampled by %s of %s: %f', (sampler, argument, ratio, warningCount) => {
    const { warnings, ...said } = settings({
      OTEL_TRACES_SAMPLER: sampler,
      ...(argument !== undefined && { OTEL_TRACES_SAMPLER_ARG: argument }),
    });
    expect([said.ratio, warnings.length]).toEqual([ratio, warningCount]);
    if (warningCount > 0)
      expect(warnings).toEqual([
        `OTEL_TRACES_SAMPLER=${sampler} has no effect: all traces are kept`,
      ]);
  });

  test.each([
    [{ ratio: '1' }, 1, []],
    [{ ratio: '0' }, 0, []],
    [{ ratio: '1.1' }, 1, ['the ratio of traces must be a number from 0 to 1']],
    [{ ratio: 'x' }, 1, ['the ratio of traces must be a number from 0 to 1']],
    [{ endpoint: 'ftp://x' }, 1, ['the endpoint of traces must be an http or https URL']],
    [{ endpoint: 'http:///' }, 1, ['the endpoint of traces must be an http or https URL']],
    [{ endpoint: 'http://[' }, 1, ['the endpoint of traces must be an http or https URL']],
  ])('are asked for by flags: %j', (flags, ratio, problems) => {
    expect(settings({}, flags)).toMatchObject({ ratio, problems });
  });

  test.each(['0', '-1', '1.5', 'x', '1234567890'])('are not counted by %s', (text) => {
    expect(settings({ OTEL_BSP_SCHEDULE_DELAY: text })).toMatchObject({
      exporter: { delayMs: undefined },
      problems: ['OTEL_BSP_SCHEDULE_DELAY must be a whole number above 0'],
    });
  });

  test('go as JSON, whatever is asked for', () => {
    expect(settings({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).warnings).toEqual([
      'OTEL_EXPORTER_OTLP_PROTOCOL=grpc has no effect: traces go as http/json',
    ]);
  });
});
