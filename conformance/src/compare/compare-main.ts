import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTestServer } from '@waygate/apiserver';
import { Gateway } from '@waygate/gateway';
import { filesInPack } from '../case-files.ts';
import { readJson } from '../data-file.ts';
import { Backend } from '../drivers/kong-backend.ts';
import { pluginConfig } from '../drivers/kong-plugin-config.ts';
import type { PluginExchange } from '../drivers/kong-plugins.ts';
import type { Exchange } from '../drivers/kong-transcript.ts';
import { comparedLinesText, compareFlux } from './compare-flux.ts';
import { comparedText, compareKong } from './compare-kong.ts';
import { compareKubernetes, kubernetesComparedText, kubernetesSide } from './compare-kubernetes.ts';
import { compareBuild, comparedBuildsText, kustomizationDirectories } from './compare-kustomize.ts';
import { compareProxied } from './compare-proxied.ts';
import { KongSide } from './kong-side.ts';
import { PeerError, peerAddress, requireProgram, requireServer } from './peer.ts';

const usage = `npm run compare -- kong --real URL

Sends several hundred requests to the Admin API of a real Kong and to a gateway of ours that is started for it,
and says where they answer differently. The real one must be empty: what the requests make is removed again.
Without a database and on this machine requests are sent through both, too, with the plugins of the recordings.

  --real URL   the Admin API of the real Kong, such as http://127.0.0.1:8001

npm run compare -- kustomize DIR… [--program COMMAND]

Builds every directory below these that has a kustomization file with the real kustomize and with ours, and
says how many are the same bytes, and what differs in which way. Nothing is fetched.

  --program COMMAND   the real one (default: $WAYGATE_KUSTOMIZE, or kustomize), called as COMMAND build DIR

npm run compare -- flux --real PROGRAM [--only TEXT]

Runs some 350 command lines with the real flux and with ours: objects as they are created, lists, trees, traces,
exports, builds, changes and wrong uses. Each program has an embedded API of its own with the same objects in
it, which are restored after each line. Says what they print, end with and leave behind otherwise.

  --real PROGRAM   the real flux
  --only TEXT      only lines with this in them, such as 'create source'

npm run compare -- kubernetes --real URL --token TOKEN [--seed N] [--count N] [--only TEXT]

Creates one object of each kind at a real Kubernetes API and at ours, started for it, and sends dry runs to both:
each creates, updates, patches or applies one of the objects with one thing changed that may be wrong. As many others
read, list, patch and delete them in all the ways that there are, and some that there are not. Says where they answer
differently. What was made is removed again. NODE_EXTRA_CA_CERTS names the authority of the real one.

  --real URL      the real API, such as https://127.0.0.1:6443, of a cluster in which this may be done
  --token TOKEN   of an administrator there
  --seed N        which requests (default 1); the same seed sends the same
  --count N       how many of either (default 1000)
  --only TEXT     only those with this in their name, such as 'apply Deployment'
`;

/** Which recordings have requests for a Kong with and without a database. */
const tables = {
  dbless: ['dbless-general', 'dbless-config', 'dbless-validate'],
  database: [
    'pg-general',
    'pg-crud',
    'pg-pagination-tags',
    'pg-validate-plugins',
    'pg-validate-misc',
  ],
};

const { values, positionals } = parse();
try {
  process.exitCode = await run(positionals);
} catch (error) {
  if (!(error instanceof PeerError)) throw error;
  process.stderr.write(`compare: ${error.message}\n`);
  process.exitCode = error.exitCode;
}

function parse() {
  try {
    return parseArgs({
      options: {
        real: { type: 'string' },
        program: { type: 'string' },
        token: { type: 'string' },
        seed: { type: 'string', default: '1' },
        count: { type: 'string', default: '1000' },
        only: { type: 'string', default: '' },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    const [what] = (error instanceof Error ? error.message : String(error)).split('. ');
    process.stderr.write(`compare: ${what}\n\n${usage}`);
    process.exit(64);
  }
}

async function run([what, ...directories]: readonly string[]): Promise<number> {
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const { real } = values;
  if (what === 'kustomize' && directories.length > 0) return builds(directories, values.program);
  if (what === 'flux' && real !== undefined) return await flux(real);
  if (what === 'kubernetes' && real !== undefined)
    return await kubernetes(peerAddress(real, '--real'), values.token ?? '');
  if (what === 'kong' && real !== undefined) return await compare(peerAddress(real, '--real'));
  process.stderr.write(usage);
  return 64;
}

/** Ends with 1 when a directory that both build comes out otherwise, or one only builds for one of them. */
function builds(roots: readonly string[], given: string | undefined): number {
  const command = given ?? process.env.WAYGATE_KUSTOMIZE ?? 'kustomize';
  requireProgram(command, 'name it with --program or $WAYGATE_KUSTOMIZE');
  const from = process.env.INIT_CWD ?? process.cwd();
  const missing = roots.find((root) => !existsSync(resolve(from, root)));
  if (missing !== undefined) throw new PeerError(`there is no directory ${missing}`, 64);
  const found = kustomizationDirectories(roots.map((root) => resolve(from, root)));
  const compared = found.map((directory) => compareBuild([command, 'build'], directory));
  process.stdout.write(comparedBuildsText(compared, from));
  return compared.some(
    ({ real, kind }) => real !== undefined && kind !== 'both refuse, other words',
  )
    ? 1
    : 0;
}

/** Ends with 1 when a line is not done alike: other words for the same are told, and are no failure. */
async function flux(program: string): Promise<number> {
  requireProgram(program, 'name it with --real');
  const compared = await compareFlux(program, values.only);
  process.stdout.write(comparedLinesText(compared));
  const isAlike = /^same|other words|other layout/;
  return compared.every(({ kind }) => isAlike.test(kind)) ? 0 : 1;
}

/** Ends with 1 when an answer is another. */
async function kubernetes(real: URL, token: string): Promise<number> {
  await requireServer(real);
  // Nothing but the servers themselves: a controller of one would change objects between two requests.
  const server = await startTestServer({ controllers: [] });
  try {
    const compared = await compareKubernetes(
      kubernetesSide(real.href.replace(/\/$/, ''), token),
      kubernetesSide(server.url, server.adminToken),
      { seed: Number(values.seed), count: Number(values.count), only: values.only },
    );
    process.stdout.write(kubernetesComparedText(compared));
    return compared.differences.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
  }
}

async function compare(url: URL): Promise<number> {
  await requireServer(url);
  const real = new KongSide(url);
  const { database, router_flavor: flavor } = await real.settings();
  const isDbless = database === 'off';
  if (!(await real.isEmpty())) {
    process.stderr.write(
      `${url.origin} holds entities: compare with an empty Kong, nothing was sent\n`,
    );
    return 2;
  }
  const gateway = new Gateway({
    mode: isDbless ? 'dbless' : 'database',
    takesUnrunnablePlugins: true,
    ...(flavor === 'expressions' || flavor === 'traditional' ? { flavor } : {}),
  });
  try {
    const { admin } = await gateway.start();
    const ours = new KongSide(new URL(`http://127.0.0.1:${admin?.port}`));
    const pack = filesInPack(
      join(fileURLToPath(new URL('../../cases', import.meta.url)), 'kong.ndjson.gz'),
    );
    const files = tables[isDbless ? 'dbless' : 'database'].map((name) => ({
      name,
      exchanges: readJson(pack, `${name}.json`) as Exchange[],
    }));
    process.stdout.write(comparedText(await compareKong(real, ours, files, isDbless)));
    if (isDbless && ['127.0.0.1', 'localhost'].includes(url.hostname)) {
      const exchanges = readJson(pack, 'proxy-plugins.json') as PluginExchange[];
      process.stdout.write(await proxied(real, ours, exchanges));
    }
    return 0;
  } finally {
    real.close();
    await gateway.stop();
  }
}

/** Both with the same plugins, before the same backend. */
async function proxied(
  real: KongSide,
  ours: KongSide,
  exchanges: readonly PluginExchange[],
): Promise<string> {
  const backend = new Backend();
  await backend.start();
  try {
    const config = JSON.stringify(pluginConfig(backend.port));
    for (const side of [real, ours]) await side.configure(config);
    const compared = await compareProxied(await real.ports(), await ours.ports(), exchanges);
    return `through the proxies: ${comparedText(compared)}`;
  } finally {
    await backend.stop();
    await real.clear(true);
  }
}
