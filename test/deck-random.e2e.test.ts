import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Gateway } from '@waygate/gateway';
import {
  AdminClient,
  applyPlan,
  type DeclarativeConfig,
  dumpConfig,
  type JsonObject,
  prepareSync,
  readState,
  writeDeckYaml,
} from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const hasDeck = spawnSync('deck', ['version']).status === 0;

/** Random choices that a seed repeats. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  isOdd(): boolean {
    return this.below(2) === 1;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** Some of the items, in their order. */
  some<Item>(items: readonly Item[]): readonly Item[] {
    return items.filter(() => this.isOdd());
  }

  /** An object with some of the fields. */
  fields(all: JsonObject): JsonObject {
    return Object.fromEntries(this.some(Object.entries(all)));
  }
}

const tags = ['red', 'green', 'blue'];

function plugins(dice: Dice): readonly JsonObject[] {
  return dice.some([
    { name: 'rate-limiting', config: { minute: 1 + dice.below(9), policy: 'local' } },
    { name: 'request-size-limiting', config: { allowed_payload_size: 1 + dice.below(64) } },
    { name: 'correlation-id', enabled: dice.isOdd(), config: { header_name: 'X-Id' } },
    { name: 'ip-restriction', config: { deny: ['10.0.0.0/8', `192.168.${dice.below(9)}.0/24`] } },
  ]);
}

function route(dice: Dice, name: string): JsonObject {
  return {
    name,
    // decK 1.4 has a default of its own for it.
    strip_path: dice.isOdd(),
    paths: [`/${name}`, `/v${dice.below(3)}/${name}`],
    ...dice.fields({
      hosts: [`${name}.test`],
      methods: dice.pick([['GET'], ['POST', 'PUT']]),
      headers: { 'x-version': [String(dice.below(3))] },
      regex_priority: dice.below(9),
      preserve_host: true,
      protocols: dice.pick([['https'], ['http', 'https']]),
      tags: dice.some(tags).concat('route'),
      plugins: plugins(dice),
    }),
  };
}

function service(dice: Dice, name: string): JsonObject {
  return {
    name,
    host: `${name}-${dice.below(3)}.internal`,
    ...dice.fields({
      port: 8000 + dice.below(9),
      protocol: 'https',
      path: `/base${dice.below(3)}`,
      retries: dice.below(9),
      connect_timeout: 1000 + dice.below(9),
      tags: dice.some(tags).concat('service'),
      plugins: plugins(dice),
    }),
    routes: dice.some([1, 2]).map((number) => route(dice, `${name}-r${number}`)),
  };
}

function consumer(dice: Dice, username: string): JsonObject {
  return {
    username,
    ...dice.fields({
      custom_id: `id-of-${username}`,
      tags: dice.some(tags).concat('consumer'),
      keyauth_credentials: [{ key: `key-${username}-${dice.below(3)}` }],
      basicauth_credentials: [{ username: `basic-${username}`, password: 'the-same' }],
      hmacauth_credentials: [{ username: `hmac-${username}`, secret: `s${dice.below(3)}` }],
      jwt_secrets: [{ key: `jwt-${username}`, secret: `s${dice.below(3)}`, algorithm: 'HS256' }],
      oauth2_credentials: [
        {
          name: 'app',
          client_id: `app-${username}`,
          client_secret: `s${dice.below(3)}`,
          redirect_uris: ['https://app.test/'],
        },
      ],
      acls: dice.some(['gold', 'silver']).map((group) => ({ group })),
      plugins: plugins(dice).filter(({ name }) => name !== 'ip-restriction'),
    }),
  };
}

function upstream(dice: Dice, name: string): JsonObject {
  return {
    name,
    ...dice.fields({
      slots: 100 + dice.below(9),
      hash_on: 'ip',
      tags: dice.some(tags).concat('upstream'),
    }),
    targets: dice.some([1, 2, 3]).map((number) => ({
      target: `10.0.0.${number}:80`,
      // decK 1.4 breaks off when a weight changes.
      weight: number * 10,
    })),
  };
}

/** A configuration of all kinds that decK 1.4 and the open-source Kong both know. */
function randomConfig(seed: number): DeclarativeConfig {
  const dice = new Dice(seed);
  const services = dice.some(['a', 'b', 'c', 'd']).map((name) => service(dice, `service-${name}`));
  const consumers = dice.some(['alice', 'bob', 'carol']).map((name) => consumer(dice, name));
  const scoped = services.length > 0 && consumers.length > 0 ? dice.some([0]) : [];
  return {
    _format_version: '1.1',
    services,
    routes: dice.some(['x', 'y']).map((name) => route(dice, `free-${name}`)),
    consumers,
    upstreams: dice.some(['u', 'v']).map((name) => upstream(dice, `upstream-${name}`)),
    plugins: [
      ...plugins(dice),
      ...scoped.map(() => ({
        name: 'request-termination',
        service: services[0]?.name,
        consumer: consumers[0]?.username,
        config: { status_code: 500 + dice.below(9) },
      })),
    ],
  } as DeclarativeConfig;
}

const seeds = Array.from({ length: Number(process.env.DECK_SEEDS ?? 6) }, (_, index) => index + 1);

describe.skipIf(!hasDeck)(
  'the real decK and ours bring a Kong from one random state to another',
  () => {
    let gateway: Gateway;
    let client: AdminClient;
    let address: string;
    let directory: string;

    beforeEach(async () => {
      gateway = new Gateway({ mode: 'database', proxy: [] });
      const { admin } = await gateway.start();
      address = `http://127.0.0.1:${admin?.port}`;
      client = new AdminClient({ url: address });
      directory = await mkdtemp(join(tmpdir(), 'deck-'));
    });

    afterEach(async () => {
      await client.close();
      await gateway.stop();
      await rm(directory, { recursive: true });
    });

    /** Runs decK on a file; fails with what it says. Without the variable it calls home. */
    async function deck(verb: string, text: string, ...args: readonly string[]): Promise<void> {
      await writeFile(join(directory, 'file.yaml'), text);
      const env = { ...process.env, DECK_ANALYTICS: 'off', HOME: directory };
      const all = [verb, '-s', 'file.yaml', ...args, '--kong-addr', address];
      await run('deck', all, { cwd: directory, env }).catch((error) => {
        throw new Error(`deck ${verb}: ${error.stdout}${error.stderr}`);
      });
    }

    async function syncOurs(config: DeclarativeConfig): Promise<void> {
      const prepared = await prepareSync(client, config);
      expect(prepared.problems).toEqual([]);
      const result = await applyPlan(client, prepared.plan);
      expect(result.failed.map(({ error }) => error.message)).toEqual([]);
    }

    it.each(seeds)('with seed %i, and each finds nothing left to do', async (seed) => {
      const [first, second] = [randomConfig(seed), randomConfig(seed + 1000)];
      await syncOurs(first);
      const dumped = writeDeckYaml(dumpConfig(await readState(client), { formatVersion: '1.1' }));
      await deck('diff', dumped, '--non-zero-exit-code');

      await deck('sync', writeDeckYaml(second));
      const { plan } = await prepareSync(client, second);
      expect(plan.operations.map(({ op, label, changes }) => ({ op, label, changes }))).toEqual([]);

      await syncOurs(first);
      await deck('diff', dumped, '--non-zero-exit-code');
    });
  },
);
