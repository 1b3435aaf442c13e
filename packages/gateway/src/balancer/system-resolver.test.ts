import { createSocket, type Socket } from 'node:dgram';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemResolver } from './system-resolver.ts';

type Answer = { readonly type: number; readonly ttl: number; readonly data: Buffer };

const types = { a: 1, aaaa: 28, srv: 33 };
let server: Socket;
let directory: string;
let answers: Record<string, Answer[]>;
let asked: string[];

/** A name server of a few lines: answers what it is told to, and that nothing else exists. */
beforeEach(async () => {
  answers = {};
  asked = [];
  directory = await mkdtemp(join(tmpdir(), 'waygate-dns-'));
  server = createSocket('udp4');
  server.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.push(`${name} ${type}`);
    const found = answers[`${name} ${type}`] ?? [];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(found.length > 0 ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(found.length, 6);
    head.writeUInt32BE(0, 8);
    const records = found.map((answer) => {
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(answer.type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(answer.ttl, 6);
      record.writeUInt16BE(answer.data.length, 10);
      return Buffer.concat([record, answer.data]);
    });
    const reply = Buffer.concat([head, query.subarray(12, end), ...records]);
    server.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await rm(directory, { recursive: true, force: true });
});

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`\0${label}`));
  for (const label of labels) label[0] = label.length - 1;
  return Buffer.concat([...labels, Buffer.from([0])]);
}

const a = (ip: string, ttl: number): Answer => ({
  type: types.a,
  ttl,
  data: Buffer.from(ip.split('.').map(Number)),
});

function srv(target: string, port: number, weight: number, priority: number): Answer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(priority, 0);
  head.writeUInt16BE(weight, 2);
  head.writeUInt16BE(port, 4);
  return { type: types.srv, ttl: 60, data: Buffer.concat([head, encodeName(target)]) };
}

const resolver = () => {
  const { port } = server.address();
  return systemResolver({ servers: [`127.0.0.1:${port}`], hostsFile: join(directory, 'hosts') });
};

describe('names', () => {
  test('have the time to live that the server gives', async () => {
    answers['a.test 1'] = [a('10.0.0.1', 7), a('10.0.0.2', 9)];
    const { addresses, ttlMs } = await resolver()('a.test');
    expect(addresses.map(({ ip }) => ip).sort()).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(ttlMs).toBe(7_000);
  });

  test('of services bring ports and weights, those of the best priority', async () => {
    answers['_http._tcp.a.test 33'] = [
      srv('one.test', 8_001, 10, 1),
      srv('two.test', 8_002, 0, 1),
      srv('spare.test', 8_003, 50, 2),
    ];
    answers['one.test 1'] = [a('10.0.0.1', 5)];
    answers['two.test 1'] = [a('10.0.0.2', 50)];
    const { addresses, ttlMs } = await resolver()('_http._tcp.a.test');
    expect([...addresses].sort((x, y) => (x.port ?? 0) - (y.port ?? 0))).toEqual([
      { ip: '10.0.0.1', port: 8_001, weight: 10 },
      { ip: '10.0.0.2', port: 8_002, weight: 1 },
    ]);
    expect(ttlMs).toBe(5_000);
  });

  test('of the hosts file are not asked for', async () => {
    await writeFile(join(directory, 'hosts'), '10.9.9.9 local.test\n');
    const resolve = resolver();
    expect((await resolve('Local.test')).addresses).toEqual([{ ip: '10.9.9.9' }]);
    expect(asked).toEqual([]);
    await expect(resolve('none.test')).rejects.toThrow('none.test');
  });
});
