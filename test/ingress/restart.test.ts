import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../until.ts';
import { answer, core, ingress, ingresses, Stack, service, slice, slices } from './stack.ts';

let stack: Stack;

beforeEach(async () => {
  stack = await Stack.start();
});

afterEach(() => stack.stop());

const broken = { 'konghq.com/path-handling': 'v9' };

async function annotate(name: string, annotations: object): Promise<void> {
  const object = (await stack.read(`${ingresses}/${name}`)) as { metadata: object };
  const metadata = { ...object.metadata, annotations };
  await stack.replace(`${ingresses}/${name}`, { ...object, metadata });
}

describe.each(['dbless', 'database'] as const)('a controller that starts again, %s', (mode) => {
  test('leaves what became wrong meanwhile as the gateway has it, and the rest goes on', async () => {
    const { proxy, admin } = await stack.gateway({ mode });
    await stack.create(`${core}/services`, service);
    await stack.create(slices, slice(await stack.backend('served')));
    await stack.create(ingresses, ingress('old', 'old.test'));
    const first = stack.controller({ kongAdmin: stack.adminClient(admin) });
    await until('it is live', async () => (await answer(proxy, 'old.test')) === 'served');
    await first.stop();

    await annotate('old', broken);
    await stack.create(ingresses, ingress('new', 'new.test'));
    stack.controller({ kongAdmin: stack.adminClient(admin) });
    await until('the new one is live', async () => (await answer(proxy, 'new.test')) === 'served');
    expect(await answer(proxy, 'old.test')).toBe('served');

    await stack.replace(`${slices}/web-1`, slice(await stack.backend('moved')));
    await until('both follow', async () => {
      const answers = [await answer(proxy, 'old.test'), await answer(proxy, 'new.test')];
      return answers.every((one) => one === 'moved');
    });

    await annotate('old', { 'konghq.com/strip-path': 'true' });
    await until('it is repaired', async () => {
      const { data } = (await (await fetch(`${admin}/routes`)).json()) as {
        data: { hosts: string[]; strip_path: boolean }[];
      };
      return data.some((one) => one.hosts[0] === 'old.test' && one.strip_path);
    });
    await stack.remove(`${ingresses}/old`);
    await until('it is gone', async () => (await answer(proxy, 'old.test')) === '404');
  });
});
