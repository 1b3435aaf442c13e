import { describe, expect, test } from 'vitest';
import { HeaderList } from '../../http/header-list.ts';
import { type TraceFormatName, traceFormats } from './trace-format.ts';
import { extractTrace, injectTrace } from './trace-propagation.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const names = Object.keys(traceFormats) as TraceFormatName[];

describe('trace headers', () => {
  test.each(names)('%s brings back what it wrote', (name) => {
    for (const isSampled of [true, false]) {
      const headers = new HeaderList();
      traceFormats[name].inject(headers, { traceId, spanId, isSampled });
      const short = `${'0'.repeat(16)}${traceId.slice(16)}`;
      expect(traceFormats[name].extract(headers)).toEqual({
        traceId: name === 'datadog' ? short : traceId,
        spanId,
        isSampled,
      });
    }
  });

  test.each([
    ['traceparent', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['traceparent', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['traceparent', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01'],
    ['b3', '0'],
    ['uber-trace-id', 'nonsense'],
    ['x-datadog-trace-id', '-1'],
    ['x-amzn-trace-id', 'Root=1-2'],
    ['x-cloud-trace-context', '1/2'],
  ])('%s: %s is none', (name, value) => {
    const headers = new HeaderList([name, value]);
    expect(extractTrace(headers, undefined, 'preserve')).toBeUndefined();
  });

  test('go on in the format that they came in, and in others that are asked for', () => {
    const client = new HeaderList(['b3', `${traceId}-${spanId}-1`]);
    const found = extractTrace(client, undefined, 'preserve');
    expect(found).toMatchObject({ format: 'b3-single', context: { traceId, isSampled: true } });
    const upstream = new HeaderList([...client.raw, 'x-old', '1']);
    const trace = { traceId, spanId: '1111111111111111', isSampled: true };
    const propagation = { inject: ['preserve', 'w3c'] as const, clear: ['x-old'] };
    injectTrace(upstream, trace, found, propagation, 'preserve');
    expect(upstream.toObject()).toEqual({
      b3: `${traceId}-1111111111111111-1`,
      traceparent: `00-${traceId}-1111111111111111-01`,
    });
  });

  test('are looked for only as configured', () => {
    const client = new HeaderList(['traceparent', `00-${traceId}-${spanId}-01`]);
    expect(extractTrace(client, { extract: ['b3'] }, 'preserve')).toBeUndefined();
    expect(extractTrace(client, undefined, 'ignore')).toBeUndefined();
    const upstream = new HeaderList();
    const trace = { traceId, spanId, isSampled: false };
    injectTrace(upstream, trace, undefined, { default_format: 'jaeger' }, 'preserve');
    expect(upstream.has('uber-trace-id')).toBe(true);
  });
});
