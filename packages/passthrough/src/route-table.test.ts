import { describe, expect, test } from 'vitest';
import type { Backend } from './config.ts';
import { RouteTable } from './route-table.ts';

const backend = (name: string): Backend => ({
  name,
  endpoints: [{ address: '127.0.0.1', port: 1 }],
});

function chosen(
  table: RouteTable,
  serverName: string | null,
  alpn: string[] = [],
  source = '192.0.2.1',
): string {
  const decision = table.choose({ serverName, alpn }, source);
  return decision.kind === 'route' ? decision.choice.backend.name : decision.kind;
}

describe('RouteTable', () => {
  const table = new RouteTable({
    hosts: [
      { host: 'a.example.com', backend: backend('A') },
      { host: 'A.example.com', alpn: ['acme-tls/1'], backend: backend('ACME') },
      { host: '*.example.com', backend: backend('W') },
      {
        host: 'inside.example.org',
        backend: backend('I'),
        allowSources: ['10.0.0.0/8', '2001:db8::/32'],
      },
    ],
    defaultBackend: backend('D'),
  });

  test.each([
    ['a.example.com', 'A'],
    ['A.EXAMPLE.com.', 'A'],
    ['other.example.com', 'W'],
    ['x.y.example.com', 'D'],
    ['example.com', 'D'],
    ['.example.com', 'D'],
    ['*.example.com', 'W'],
    ['__proto__', 'D'],
    [null, 'D'],
  ])('%s goes to %s', (host, expected) => {
    expect(chosen(table, host)).toBe(expected);
  });

  test('a rule with ALPN comes before one without, whatever their order', () => {
    expect(chosen(table, 'a.example.com', ['h2', 'acme-tls/1'])).toBe('ACME');
    expect(chosen(table, 'a.example.com', ['h2'])).toBe('A');
  });

  test('of three rules of a host, in every order, each takes what is its own', () => {
    const rules = [
      { host: 'a.test', backend: backend('plain') },
      { host: 'a.test', alpn: ['h2'], backend: backend('h2') },
      { host: 'a.test', alpn: ['x', 'y'], backend: backend('xy') },
    ];
    for (const order of ['012', '021', '102', '120', '201', '210']) {
      const hosts = [...order].map((place) => rules[Number(place)]!);
      const one = new RouteTable({ hosts });
      const seen = [[], ['h2'], ['y'], ['z']].map((alpn) => chosen(one, 'a.test', alpn));
      expect([order, seen]).toEqual([order, ['plain', 'h2', 'xy', 'plain']]);
    }
  });

  test('sources that are not allowed are denied, not sent elsewhere', () => {
    expect(chosen(table, 'inside.example.org', [], '10.1.2.3')).toBe('I');
    expect(chosen(table, 'inside.example.org', [], '::ffff:10.1.2.3')).toBe('I');
    expect(chosen(table, 'inside.example.org', [], '2001:db8::5')).toBe('I');
    expect(chosen(table, 'inside.example.org', [], '192.0.2.1')).toBe('source-denied');
  });

  test('without a default, unknown names are not recognized', () => {
    expect(chosen(new RouteTable({ hosts: [] }), 'a.example.com')).toBe('unrecognized-name');
  });
});
