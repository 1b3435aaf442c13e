import type { RouteTraffic } from '../../../../src/protocol/routes.ts';

/** A route's last minute in three numbers. */
interface TrafficNow {
  readonly perSecond: number;
  /** Of the requests, 0 to 1. */
  readonly errorShare: number;
  /** Milliseconds; undefined where nothing was requested. */
  readonly p99: number | undefined;
}

const lately = 60_000;
const known = new WeakMap<RouteTraffic, TrafficNow>();

export function trafficNow(traffic: RouteTraffic): TrafficNow {
  const before = known.get(traffic);
  if (before) return before;
  const slots = Math.max(1, Math.round(lately / traffic.slotMs));
  const requests = sum(traffic.requests.slice(-slots));
  const seconds = (Math.min(slots, Math.max(1, traffic.requests.length)) * traffic.slotMs) / 1_000;
  const latencies = traffic.p99.slice(-slots).filter((value) => value !== null);
  const result: TrafficNow = {
    perSecond: requests / seconds,
    errorShare: requests === 0 ? 0 : sum(traffic.errors.slice(-slots)) / requests,
    p99: latencies.length === 0 ? undefined : Math.max(...latencies),
  };
  known.set(traffic, result);
  return result;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** `0`, `0.4`, `12`, `1.2 k`. */
export function rateText(perSecond: number): string {
  if (perSecond === 0) return '0';
  if (perSecond < 0.1) return '<0.1';
  if (perSecond < 10) return perSecond.toFixed(1);
  if (perSecond < 1_000) return perSecond.toFixed(0);
  return `${(perSecond / 1_000).toFixed(1)} k`;
}

export function shareText(share: number): string {
  if (share === 0) return '0 %';
  if (share < 0.001) return '<0.1 %';
  return share < 0.1 ? `${(share * 100).toFixed(1)} %` : `${(share * 100).toFixed(0)} %`;
}

export function latencyText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
