import { type AnnotationRow, annotationTable } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../packages/gateway/src/testing/make-certificate.ts';
import { annotationsPrefix, NginxWorld, nginxIngress, object } from './nginx-world.ts';

/** What somebody might write to break out of a directive, a header or a pattern, or to cost time. */
const hostile: Readonly<Record<string, string>> = {
  'line breaks and directives':
    "é\r\nX-Evil: 1\n\"; } add_header X-Evil '2'; #\n\nGET / HTTP/1.1\u0000",
  'a shell': '$(id)',
  'a variable that nobody knows': 'http://$nobody_knows/',
  'text of a megabyte': 'a'.repeat(1_048_576),
  'a pattern that explodes': '((((a{99}){99}){99}+)+)+$',
  'a pattern that never ends': '((([',
  'a number too large': '999999999999999',
  'a number below nothing': '-1',
};

/** What must be there as well, for an annotation to be read at all. */
const companions: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [/^auth-(secret|realm|type)/, { 'auth-type': 'basic', 'auth-secret': 'users' }],
  [/^auth-tls-/, { 'auth-tls-secret': 'shop/ca' }],
  [/^auth-/, { 'auth-url': 'http://127.0.0.1:1/', 'auth-cache-key': '$uri' }],
  [/^proxy-ssl-/, { 'backend-protocol': 'HTTPS', 'proxy-ssl-secret': 'shop/ca' }],
  [/^proxy-redirect-/, { 'proxy-redirect-from': '/x', 'proxy-redirect-to': '/y' }],
  [/^cors-/, { 'enable-cors': 'true' }],
  [/^(session-cookie|affinity)-/, { affinity: 'cookie' }],
  [/^canary-/, { canary: 'true', 'canary-by-header': 'X-Canary' }],
  [/^mirror-/, { 'mirror-target': 'http://127.0.0.1:1/' }],
  [/^limit-/, { 'limit-rps': '1000' }],
  [/^fastcgi-/, { 'backend-protocol': 'FCGI' }],
  [/^upstream-hash-by-/, { 'upstream-hash-by': '$uri' }],
  [
    /^(default-backend|custom-http-errors)/,
    { 'default-backend': 'd', 'custom-http-errors': '404' },
  ],
  [/^permanent-redirect-/, { 'permanent-redirect': '/there' }],
  [/^temporal-redirect-/, { 'temporal-redirect': 'http://x.test/' }],
  [/^opentelemetry-/, { 'enable-opentelemetry': 'true' }],
  [/^x-forwarded-prefix/, { 'rewrite-target': '/y' }],
];

async function resources(): Promise<KubeObject[]> {
  const { cert } = await makeCertificate('clients');
  const users = { auth: base64('ann:{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=') };
  return [
    object('v1', 'Secret', 'users', { data: users }),
    object('v1', 'Secret', 'ca', { data: { 'ca.crt': base64(cert) } }),
  ];
}

/** Whether a value is one that its annotation does not take. */
function isRefused({ check }: AnnotationRow, value: string): boolean {
  const text = value.trim();
  if (text.length > 65_536) return true;
  if (check === undefined) return false;
  if (check === 'bool') return !/^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(text);
  if (check === 'int') return !/^[+-]?\d+$/.test(text);
  return check instanceof RegExp ? !check.test(text) : !check.includes(text);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Whether the annotation is one that says something of the whole host. */
function isOfHost(name: string): boolean {
  return /^(auth-tls-|server-snippet|from-to-www)/.test(name);
}

const world = new NginxWorld();
beforeAll(() => world.start());
afterAll(() => world.stop());

const permissive = { 'allow-snippet-annotations': 'true', 'annotations-risk-level': 'Critical' };

describe('hostile values in every annotation', () => {
  test.each(Object.entries(hostile))('%s', async (_, value) => {
    const rows = annotationTable;
    const ingresses = rows.flatMap(({ name }): KubeObject[] => {
      const host = `${name}.test`;
      const further = companions.filter(([pattern]) => pattern.test(name)).map(([, one]) => one);
      const annotations = { ...Object.assign({}, ...further), [name]: value };
      const isCanary = name.startsWith('canary');
      const primary = { name: `p-${name}`, hosts: { [host]: [['/', 'Prefix', 'a']] as const } };
      return [
        ...(isCanary ? [nginxIngress(primary)] : []),
        nginxIngress({ name, hosts: { [host]: [['/', 'Prefix', 'b']] }, annotations, second: 1 }),
      ];
    });
    // Of the same hosts, by somebody else.
    const beside = rows.map(({ name }) => [
      `${name}.test`,
      [['/neighbour', 'Prefix', 'c']] as const,
    ]);
    const neighbour = nginxIngress({ name: 'n', hosts: Object.fromEntries(beside), second: 2 });
    const other = nginxIngress({ name: 'other', hosts: { 'other.test': [['/', 'Prefix', 'd']] } });
    const served = await world.serve(
      [...(await resources()), ...ingresses, neighbour, other],
      permissive,
    );
    try {
      expect((await served.ask('other.test')).body).toBe('d /\n');
      const answers = await Promise.all(
        rows.map(async ({ name }) => ({
          name,
          own: await served.ask(`${name}.test`, '/', { headers: { Origin: 'http://o.test' } }),
          neighbour: await served.ask(`${name}.test`, '/neighbour'),
        })),
      );
      for (const { name, own, neighbour } of answers) {
        expect(own.status, name).toBeGreaterThanOrEqual(200);
        expect(
          own.lines.filter((line) => /^x-evil/i.test(line)),
          name,
        ).toEqual([]);
        if (!isOfHost(name)) expect(neighbour.body, name).toBe('c /neighbour\n');
      }
      for (const { headers } of world.arrivals.splice(0))
        expect(headers).not.toHaveProperty('x-evil');
      // Whoever wrote what is not taken is told which annotation of which Ingress it is.
      for (const row of rows.filter((one) => isRefused(one, value))) {
        const messages = served.problems
          .filter((problem) => problem.object.name === row.name)
          .map(({ message }) => message);
        expect(messages.join('\n'), row.name).toContain(`${annotationsPrefix}${row.name}`);
      }
    } finally {
      await served.stop();
    }
  });
});
