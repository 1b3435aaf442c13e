import { startTestServer } from '@waygate/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TopicSnapshot } from '../protocol/stream.ts';
import { as, DashboardStage, tenantTokens } from '../testing/dashboard-stage.ts';

let stage: DashboardStage;

beforeAll(async () => {
  stage = await DashboardStage.start(await startTestServer({ tokens: tenantTokens }));
});

afterAll(() => stage[Symbol.asyncDispose]());

describe('the stream', () => {
  test('goes on behind a snapshot, and behind a lost connection, and tells a tenant nothing of others', async () => {
    await expect.poll(() => stage.routesOf(as('anna'))).toEqual(['route-of-anna']);
    const { version } = JSON.parse(
      (await stage.ask('/api/routes', as('anna'))).text,
    ) as TopicSnapshot;
    const first = await stage.openStream(
      as('anna'),
      `/api/stream?topics=routes:${version},problems`,
    );
    stage.putRoute('bert', 'second-of-bert');
    stage.putRoute('anna', 'second-of-anna');
    await expect.poll(() => JSON.stringify(first.reader.events)).toContain('second-of-anna');
    first.asked.destroy();
    stage.putRoute('anna', 'third-of-anna');
    stage.core.view.changeEntity('routes', 'second-of-anna', undefined);
    stage.core.view.changeEntity('routes', 'second-of-bert', undefined);
    stage.core.setReported([]);
    const again = { ...as('anna'), 'last-event-id': first.reader.lastId };
    const second = await stage.openStream(again, `/api/stream?topics=routes:${version},problems`);
    await expect.poll(() => JSON.stringify(second.reader.events)).toContain('third-of-anna');
    const text = JSON.stringify([...first.reader.events, ...second.reader.events]);
    expect(text).not.toContain('bert');
    const puts = [...first.reader.events, ...second.reader.events].flatMap(({ message }) =>
      'put' in message ? (message.put ?? []).map(({ id }) => id) : [],
    );
    expect(puts).toEqual(['second-of-anna', 'third-of-anna']);
    const drops = second.reader.events.flatMap(({ message }) =>
      'drop' in message ? message.drop : [],
    );
    expect(drops).toEqual(['second-of-anna']);
    second.asked.destroy();
    await expect.poll(() => stage.core.hub.pageCount).toBe(0);
  });

  test('holds nothing for a reader that does not read, and brings it up to date when it does', async () => {
    const { version } = JSON.parse(
      (await stage.ask('/api/routes', as('anna'))).text,
    ) as TopicSnapshot;
    const { reader, asked, answer } = await stage.openStream(
      as('anna'),
      `/api/stream?topics=routes:${version}`,
    );
    answer.pause();
    const long = 'x'.repeat(20_000);
    // More than the sockets of both sides and the limit hold together, each time the same route.
    for (let round = 0; round < 800; round += 1) {
      const item = { id: 'big', name: 'big', paths: [`/${round}${long}`], tags: ['anna/big'] };
      stage.core.view.changeEntity('routes', 'big', item);
      stage.core.hub.publish('routes', stage.core.view.settle().routes);
      if (round % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    answer.resume();
    await expect
      .poll(() => JSON.stringify(reader.events.at(-1)?.message).includes(`/799${long}`))
      .toBe(true);
    // What it missed is not sent after all: only how it ended.
    expect(reader.events.length).toBeLessThan(700);
    asked.destroy();
  });

  test('refuses a topic that is none', async () => {
    expect((await stage.ask('/api/stream?topics=secrets', as('anna'))).status).toBe(400);
  });
});
