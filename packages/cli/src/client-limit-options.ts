import type { ClientLimits } from '@waygate/gateway';
import { type Command, InvalidArgumentError, Option } from 'commander';

interface Limit {
  /** The name that nginx has for it. */
  readonly flag: string;
  readonly field: keyof ClientLimits;
  readonly unit: 'seconds' | 'count';
  /** What Kong's nginx has, in the unit. */
  readonly usual: number;
  readonly help: string;
}

const limits: readonly Limit[] = [
  {
    flag: 'client-header-timeout',
    field: 'headTimeoutMs',
    unit: 'seconds',
    usual: 60,
    help: 'how long a client may take for the head of a request',
  },
  {
    flag: 'client-body-timeout',
    field: 'bodyTimeoutMs',
    unit: 'seconds',
    usual: 60,
    help: 'how long a client may pause in a body',
  },
  {
    flag: 'send-timeout',
    field: 'sendTimeoutMs',
    unit: 'seconds',
    usual: 60,
    help: 'how long a client may take nothing of an answer',
  },
  {
    flag: 'keepalive-timeout',
    field: 'keepAliveMs',
    unit: 'seconds',
    usual: 75,
    help: 'how long a connection may wait for its next request',
  },
  {
    flag: 'keepalive-requests',
    field: 'keepAliveRequests',
    unit: 'count',
    usual: 10_000,
    help: 'requests of one connection',
  },
  {
    flag: 'lingering-time',
    field: 'lingerMs',
    unit: 'seconds',
    usual: 30,
    help: 'how long what a refused client still sends is read',
  },
  {
    flag: 'lingering-timeout',
    field: 'lingerQuietMs',
    unit: 'seconds',
    usual: 5,
    help: 'the same, while nothing comes',
  },
  {
    flag: 'worker-connections',
    field: 'maxConnections',
    unit: 'count',
    usual: 16_384,
    help: 'connections of each process and port; beyond it idle ones make room',
  },
  {
    flag: 'http2-max-concurrent-streams',
    field: 'maxStreams',
    unit: 'count',
    usual: 128,
    help: 'streams of one HTTP/2 connection',
  },
];

/** Adds the flags for what a client may cost, by nginx's names. */
export function addClientLimits(command: Command): void {
  for (const { flag, unit, usual, help } of limits) {
    const name = unit === 'seconds' ? '<seconds>' : '<count>';
    const parse = unit === 'seconds' ? positiveSeconds : positiveCount;
    command.addOption(new Option(`--${flag} ${name}`, help).default(usual).argParser(parse));
  }
}

/** What the flags say. */
export function clientLimitsOf(flags: object): ClientLimits {
  const values = flags as Readonly<Record<string, number>>;
  const fields = limits.map(({ flag, field, unit, usual }) => {
    const value = values[attributeOf(flag)] ?? usual;
    return [field, unit === 'seconds' ? value * 1_000 : value] as const;
  });
  return Object.fromEntries(fields) as unknown as ClientLimits;
}

function attributeOf(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function positiveSeconds(text: string): number {
  const seconds = Number(text);
  // A timer takes no more than 2^31 milliseconds.
  if (text.trim() === '' || !(seconds > 0) || seconds > 2_000_000)
    throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return seconds;
}

function positiveCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count === 0)
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return count;
}
