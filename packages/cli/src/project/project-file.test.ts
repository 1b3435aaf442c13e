import { describe, expect, test } from 'vitest';
import { emptyProject, parseProjectFile, substitutions } from './project-file.ts';

describe('parseProjectFile', () => {
  test('reads every field', () => {
    const { project, problems } = parseProjectFile(
      `
path: overlays/laptop
services:
  web:
    start:
      command: npm run dev
      directory: apps/web
      env: { LEVEL: debug }
      port: 3000
      ready: /healthz
      restart: on-failure
    ports: { metrics: 9090 }
  shop/billing: { attach: 4000 }
  other: { attach: '192.168.1.5:4001' }
  short: { start: [node, server.mjs] }
  mail: { stub: echo }
  rates: { stub: { status: 203, headers: { x-a: 1 }, body: { eur: 1 } } }
  legacy: { stub: { recorded: legacy.har } }
backends:
  - name: catalog-stable
    command: [node, server.mjs, 1]
    env: { LOG: true }
variables: { region: here }
try: { path: /catalog, headers: { apikey: k } }
`,
      '/p',
    );
    expect(problems).toEqual([]);
    const base = (service: string, line: number) => ({
      service,
      ports: {},
      place: `waygate.yaml:${line}`,
    });
    expect(project).toEqual({
      path: 'overlays/laptop',
      bindings: [
        {
          ...base('web', 4),
          ports: { metrics: 9090 },
          kind: 'start',
          command: ['sh', '-c', 'npm run dev'],
          directory: '/p/apps/web',
          env: { LEVEL: 'debug' },
          port: 3000,
          ready: { kind: 'http', path: '/healthz' },
          restart: 'on-failure',
        },
        { ...base('shop/billing', 13), kind: 'attach', host: '127.0.0.1', port: 4000 },
        { ...base('other', 14), kind: 'attach', host: '192.168.1.5', port: 4001 },
        {
          ...base('short', 15),
          kind: 'start',
          command: ['node', 'server.mjs'],
          directory: '/p',
          env: {},
          port: 0,
          ready: { kind: 'tcp' },
          restart: 'always',
        },
        { ...base('mail', 16), kind: 'stub', answer: { kind: 'echo' } },
        {
          ...base('rates', 17),
          kind: 'stub',
          answer: {
            kind: 'fixed',
            status: 203,
            headers: { 'content-type': 'application/json', 'x-a': '1' },
            body: '{"eur":1}',
          },
        },
        {
          ...base('legacy', 18),
          kind: 'stub',
          answer: { kind: 'recorded', file: '/p/legacy.har' },
        },
      ],
      backends: [
        { name: 'catalog-stable', command: ['node', 'server.mjs', '1'], env: { LOG: 'true' } },
      ],
      variables: { region: 'here' },
      try: { path: '/catalog', headers: { apikey: 'k' } },
    });
    expect(substitutions(project, new Map([['catalog-stable', 7101]]))).toEqual({
      region: 'here',
      catalog_stable_port: '7101',
    });
  });

  test('an empty file is an empty project', () => {
    expect(parseProjectFile('').project).toEqual(emptyProject);
    expect(parseProjectFile('services:').problems).toEqual([]);
  });

  test.each([
    ['path: ../other', 1, 'path must stay inside the project'],
    ['path: /etc', 1, 'path must stay inside the project'],
    ['\npaht: x', 2, 'paht is not known here; there are path, services, backends, variables, try'],
    ['backends: {}', 1, 'backends must be a list'],
    [
      'backends: [{name: A b, command: [x]}]',
      1,
      'backends[0].name must be lower-case letters, digits and dashes',
    ],
    [
      'backends:\n- name: a\n- name: b\n  command: 1',
      4,
      'backends[1].command must be a list: a program and its arguments, or one text for the shell',
    ],
    [
      'backends: [{name: a, command: [x]}, {name: a, command: [x]}]',
      1,
      'backends there are two with the name a',
    ],
    ['variables: {a: []}', 1, 'variables.a must be text'],
    ['[]', 1, 'must be an object'],
    ['services: []', 1, 'services must be an object'],
    ['services:\n  web: 3000', 2, 'services.web must be an object'],
    ['services:\n  web: {}', 2, 'services.web must have one of attach, start, stub'],
    [
      'services:\n  web: {attach: 1, stub: echo}',
      2,
      'services.web must have one of attach, start, stub',
    ],
    [
      'services:\n  Web: {stub: echo}',
      2,
      'services.Web must be the name of a Service, or namespace/name',
    ],
    [
      'services:\n  a: {attach: localhost}',
      2,
      'services.a.attach must be a port, or an IPv4 address and a port: 3000 or 192.168.1.5:3000',
    ],
    ['services:\n  a: {attach: 70000}', 2, 'services.a.attach must be a port, 1 to 65535'],
    [
      'services:\n  a:\n    start:\n      comand: x',
      4,
      'services.a.start.comand is not known here; there are command, directory, env, port, ready, restart',
    ],
    [
      'services:\n  a:\n    start:\n      command: x\n      restart: sometimes',
      5,
      'services.a.start.restart must be one of always, on-failure, never',
    ],
    [
      'services:\n  a: {start: {command: x, ready: soon}}',
      2,
      'services.a.start.ready must be a path that is answered with 2xx or 3xx, tcp, or none',
    ],
    [
      'services:\n  a: {stub: mirror}',
      2,
      'services.a.stub must be echo, or an object with status, headers, body or recorded',
    ],
    [
      'services:\n  a: {stub: {status: 99}}',
      2,
      'services.a.stub.status must be a status, 200 to 599',
    ],
    [
      'services:\n  a: {stub: {recorded: x.har, body: y}}',
      2,
      'services.a.stub.body is in the recording',
    ],
    [
      'services:\n  a: {stub: echo, ports: {x: y}}',
      2,
      'services.a.ports.x must be a port, 1 to 65535',
    ],
  ])('%j', (text, line, message) => {
    expect(parseProjectFile(text).problems).toContainEqual({
      place: `waygate.yaml:${line}`,
      message,
    });
  });

  test('a syntax error names its line', () => {
    expect(parseProjectFile('path: x\nbackends: [').problems[0]?.place).toMatch(
      /^waygate\.yaml:[23]$/,
    );
  });
});
