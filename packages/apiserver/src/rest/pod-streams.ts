import type { Duplex } from 'node:stream';
import type { DynamicObject } from '@waygate/schema';
import { listAt, objectAt, textAt } from '../builtins/fields.ts';
import type { Core } from '../core/core.ts';
import type { PodLogOptions, PodRuntime } from '../core/pod-runtime.ts';
import { writeHead } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { upgradeOf } from '../http/upgrade.ts';
import { badRequest, invalidObject } from '../status/api-error.ts';
import { type FieldProblem, forbidden, invalid } from '../status/field-problem.ts';
import { forwardPorts, portForwardProtocol } from '../stream/port-forward.ts';

/** The lines of a container, for as long as the client wants them. */
export async function streamLog(
  runtime: PodRuntime,
  exchange: Exchange,
  pod: Readonly<DynamicObject>,
  now: number,
): Promise<void> {
  demandRunning(runtime, pod);
  const gone = new AbortController();
  exchange.response.once('close', () => gone.abort());
  const limit = numberOf(exchange, 'limitBytes') ?? Infinity;
  const lines = runtime.log(pod, logOptions(exchange, pod, now, gone.signal));
  writeHead(exchange, 200, { 'Content-Type': 'text/plain' });
  exchange.response.flushHeaders();
  let sent = 0;
  for await (const line of lines) {
    const bytes = Buffer.from(line).subarray(0, limit - sent);
    sent += bytes.length;
    if (gone.signal.aborted) break;
    if (!exchange.response.write(bytes)) await drained(exchange);
    if (sent >= limit) break;
  }
  exchange.response.end();
}

function logOptions(
  exchange: Exchange,
  pod: Readonly<DynamicObject>,
  now: number,
  signal: AbortSignal,
): PodLogOptions {
  const seconds = numberOf(exchange, 'sinceSeconds');
  const time = exchange.query.get('sinceTime') ?? '';
  const at = Date.parse(time);
  if (time !== '' && Number.isNaN(at)) throw badRequest(`sinceTime ${time} is no time`);
  const sinceMs = seconds === undefined ? at : now - seconds * 1_000;
  return {
    container: containerOf(exchange, pod),
    isFollowing: isTrue(exchange, 'follow'),
    isPrevious: isTrue(exchange, 'previous'),
    hasTimestamps: isTrue(exchange, 'timestamps'),
    tailLines: numberOf(exchange, 'tailLines'),
    sinceMs: Number.isNaN(sinceMs) ? undefined : sinceMs,
    signal,
  };
}

/** Refuses numbers that mean nothing, and containers that the pod does not have. */
export function checkLogOptions(exchange: Exchange, pod: Readonly<DynamicObject>): void {
  const { query } = exchange;
  const problems: FieldProblem[] = [];
  const least = (name: string, limit: number, why: string) => {
    const value = query.get(name);
    if (value !== null && value !== '' && Number(value) < limit)
      problems.push(invalid(name, Number(value), why));
  };
  least('tailLines', 0, 'must be greater than or equal to 0');
  least('limitBytes', 1, 'must be greater than 0');
  if (query.has('sinceSeconds') && query.has('sinceTime'))
    problems.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else least('sinceSeconds', 1, 'must be greater than 0');
  const { name = '' } = pod.metadata;
  if (problems.length > 0)
    throw invalidObject({ group: '', kind: 'PodLogOptions' }, name, problems);
  const asked = query.get('container') ?? '';
  const spec = objectAt(pod, 'spec');
  const has = ['containers', 'initContainers', 'ephemeralContainers'].some((list) =>
    listAt(spec, list).some((each) => each.name === asked),
  );
  if (asked !== '' && !has) throw badRequest(`container ${asked} is not valid for pod ${name}`);
}

function containerOf(exchange: Exchange, pod: Readonly<DynamicObject>): string {
  const names = listAt(objectAt(pod, 'spec'), 'containers').map((each) => textAt(each, 'name'));
  const asked = exchange.query.get('container') ?? '';
  const { name } = pod.metadata;
  if (asked !== '' && !names.includes(asked))
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  if (asked === '' && names.length > 1)
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`,
    );
  return asked === '' ? (names[0] ?? '') : asked;
}

/** Leads connections to the pod's ports, over the streams that the client opens. */
export async function streamPorts(
  core: Core,
  runtime: PodRuntime,
  exchange: Exchange,
  pod: Readonly<DynamicObject>,
): Promise<void> {
  demandRunning(runtime, pod);
  const upgrade = upgradeOf(exchange.request);
  // WebSockets are asked for first by some clients, which take SPDY when they are refused.
  if (upgrade === undefined || !/^spdy\/3\.1$/i.test(exchange.header('upgrade') ?? ''))
    throw badRequest('unable to upgrade: expected SPDY/3.1');
  const protocols = (exchange.header('x-stream-protocol-version') ?? '').split(/\s*,\s*/);
  if (!protocols.includes(portForwardProtocol))
    throw badRequest(`unable to upgrade: the protocol must be ${portForwardProtocol}`);
  const socket: Duplex = upgrade.take(
    exchange.response,
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n` +
      `X-Stream-Protocol-Version: ${portForwardProtocol}\r\n\r\n`,
  );
  await forwardPorts(socket, upgrade.head, (port) => runtime.connect(pod, port)).catch(
    (error: unknown) => core.log(`apiserver: a port-forward ended: ${(error as Error).message}`),
  );
}

/** Programs in a pod cannot be entered here: they are processes of this machine. */
export function demandRunning(runtime: PodRuntime, pod: Readonly<DynamicObject>): void {
  const refusal = runtime.refusal(pod);
  if (refusal !== undefined) throw badRequest(refusal);
}

function numberOf(exchange: Exchange, name: string): number | undefined {
  const text = exchange.query.get(name);
  if (text === null || text === '') return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw badRequest(`${name} must be a whole number`);
  return number;
}

function isTrue(exchange: Exchange, name: string): boolean {
  return ['true', '1'].includes(exchange.query.get(name) ?? '');
}

function drained(exchange: Exchange): Promise<void> {
  const { response } = exchange;
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
