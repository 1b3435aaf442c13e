import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Attack, openGateway, seeded, serve } from './attack.ts';
import { badUpstreams, stallingClients } from './attacks/clients.ts';
import { celBombs, endlessChecks, evilPatterns, patchBombs } from './attacks/expressions.ts';
import { commitChurn, fullDisk, initialise, mountSmall } from './attacks/machine.ts';
import { largeObjects, manyObjects, manyRoutes } from './attacks/objects.ts';
import { conflictingConsumers, poison } from './attacks/tenants.ts';
import { quantile, Victim } from './victim.ts';
import { World } from './world.ts';

// Everybody at once against one `waygate up`, while somebody who did nothing wrong is asked for an
// answer ten times a second. WAYGATE_HOSTILE_SECONDS makes it longer, WAYGATE_HOSTILE_SEED another
// run, WAYGATE_HOSTILE_ATTACKS (names, separated by commas) leaves attacks out.

const seconds = Number(process.env.WAYGATE_HOSTILE_SECONDS ?? 20);
const seed = Number(process.env.WAYGATE_HOSTILE_SEED ?? 1);
const chosen = process.env.WAYGATE_HOSTILE_ATTACKS?.split(',');

let home: string;
let state: string;
let tree: string;
let unmount: (() => void) | undefined;
let world: World;
const victim = new Victim();

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-hostile-'));
  state = join(home, 'state');
  tree = join(home, 'tree');
  mkdirSync(state);
  mkdirSync(tree);
  unmount = mountSmall(state, 512);
  writeFileSync(join(tree, 'waygate.yaml'), '{}\n');
  initialise(tree);
  world = await World.start([tree, '--data-dir', state]);
  await victim.settle(world);
});

afterAll(async () => {
  await world?.stop();
  await victim.stop();
  unmount?.();
  rmSync(home, { recursive: true, force: true });
});

test(
  'the victim gets every answer, and each is right',
  async () => {
    const attacks: Attack[] = [
      evilPatterns,
      celBombs,
      patchBombs,
      endlessChecks,
      largeObjects,
      manyObjects,
      manyRoutes,
      conflictingConsumers,
      poison,
      stallingClients,
      badUpstreams,
      commitChurn(tree),
      ...(unmount === undefined ? [] : [fullDisk(state)]),
    ].filter(({ name }) => chosen === undefined || chosen.includes(name));
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), seconds * 1_000);
    victim.start(world);
    await Promise.all(attacks.map((attack, index) => launch(attack, index, end.signal)));
    clearTimeout(timer);
    const { wrong, milliseconds, apiMilliseconds } = await victim.end(world);
    console.log(
      `${attacks.length} attacks, seed ${seed}, ${seconds} s, ${wrong.length} wrong answers\n` +
        `gateway: ${figures(milliseconds)}\nAPI: ${figures(apiMilliseconds)}\n` +
        `calls: ${[...world.tally].map(([call, count]) => `${call}: ${count}`).join(', ')}`,
    );
    expect(world.isAlive, world.stack.output()).toBe(true);
    expect(wrong).toEqual([]);
    // A shared machine may be slow; what stops others for seconds is no slow machine.
    expect(quantile(milliseconds, 0.999)).toBeLessThan(3_000);
  },
  (seconds + 120) * 1_000,
);

test('and everything stops in order when it is told to', async () => {
  expect(await world.stop()).toBe(0);
});

function figures(sorted: readonly number[]): string {
  const at = (share: number): string => `${quantile(sorted, share).toFixed(0)} ms`;
  return `${sorted.length} answers, p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, longest ${at(1)}`;
}

async function launch(attack: Attack, index: number, signal: AbortSignal): Promise<void> {
  const namespace = `mallory-${index}`;
  const setting = { world, namespace, random: seeded(seed * 1_000 + index + 1), signal };
  await world.apply(`/api/v1/namespaces/${namespace}`, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  await serve(setting, 'web', world.gateway.port);
  await openGateway(setting);
  await attack.run(setting);
}
