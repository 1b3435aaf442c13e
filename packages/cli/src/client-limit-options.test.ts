import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addClientLimits, clientLimitsOf } from './client-limit-options.ts';

function parsed(...args: string[]) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addClientLimits(command);
  command.parse(args, { from: 'user' });
  return clientLimitsOf(command.opts());
}

describe('the flags for what a client may cost', () => {
  test('have the defaults of Kong’s nginx', () => {
    expect(parsed()).toEqual({
      headTimeoutMs: 60_000,
      bodyTimeoutMs: 60_000,
      sendTimeoutMs: 60_000,
      keepAliveMs: 75_000,
      keepAliveRequests: 10_000,
      lingerMs: 30_000,
      lingerQuietMs: 5_000,
      maxConnections: 16_384,
      maxStreams: 128,
    });
  });

  test.each([
    ['--client-header-timeout=1.5', { headTimeoutMs: 1_500 }],
    ['--client-body-timeout=2', { bodyTimeoutMs: 2_000 }],
    ['--send-timeout=3', { sendTimeoutMs: 3_000 }],
    ['--keepalive-timeout=4', { keepAliveMs: 4_000 }],
    ['--keepalive-requests=5', { keepAliveRequests: 5 }],
    ['--lingering-time=6', { lingerMs: 6_000 }],
    ['--lingering-timeout=7', { lingerQuietMs: 7_000 }],
    ['--worker-connections=8', { maxConnections: 8 }],
    ['--http2-max-concurrent-streams=9', { maxStreams: 9 }],
  ])('%s', (flag, expected) => {
    expect(parsed(flag)).toEqual({ ...parsed(), ...expected });
  });

  test.each([
    '--client-header-timeout=0',
    '--send-timeout=-1',
    '--keepalive-timeout=soon',
    '--lingering-time=1e9',
    '--keepalive-requests=1.5',
    '--worker-connections=0',
  ])('%s is refused', (flag) => {
    expect(() => parsed(flag)).toThrow(/It must be/);
  });
});
