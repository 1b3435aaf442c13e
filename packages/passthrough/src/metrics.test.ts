import { expect, test } from 'vitest';
import { countRefusal, hostCounters, newCounters, renderMetrics, sumCounters } from './metrics.ts';

test('counters of several workers add up, and print in the Prometheus format', () => {
  const [one, two] = [newCounters(), newCounters()];
  for (const counters of [one, two]) {
    counters.accepted = 2;
    countRefusal(counters, 'hello-timeout');
    hostCounters(counters, 'a.example.com').bytesIn = 5;
  }
  countRefusal(two, 'not-tls');
  const text = renderMetrics(sumCounters([one, two]));
  expect(text).toContain('\nwaygate_passthrough_accepted_total 4\n');
  expect(text).toContain('\nwaygate_passthrough_refused_total{reason="hello-timeout"} 2\n');
  expect(text).toContain('\nwaygate_passthrough_refused_total{reason="not-tls"} 1\n');
  expect(text).toContain(
    '\nwaygate_passthrough_host_received_bytes_total{host="a.example.com"} 10\n',
  );
});
