import { randomBytes } from 'node:crypto';
import {
  type CommandNetwork,
  type CommandWorld,
  encodeBytes,
  type HelmMajor,
  parseLimits,
} from '@waygate/helm';
import type { CliContext } from '../context.ts';
import { diskFiles } from './disk-files.ts';
import { findProgram } from './find-program.ts';
import { checkProvenance, signProvenance } from './provenance.ts';

const postRenderTimeoutMs = 300_000;

/** What Go calls systems and processors that Node.js names otherwise. */
const goSystems: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' };
const goArchitectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
const goArchitecture = (): string => goArchitectures[process.arch] ?? process.arch;

/** What a Helm command may touch, on this machine. */
export function helmWorld(
  context: CliContext,
  helm: HelmMajor,
  limits = context.env.WAYGATE_HELM_LIMITS ?? '',
): CommandWorld {
  return {
    helm,
    limits: {
      ...parseLimits(limits),
      how: (option) => `raise it: --limits ${option}=N, or WAYGATE_HELM_LIMITS=${option}=N`,
    },
    // There is no verb for it: the file is Helm's own, and an address in Chart.yaml needs none.
    addRepository:
      "a file of repositories (--repository-config), or name their addresses in Chart.yaml and run 'waygate dependency update'",
    cwd: context.cwd,
    env: context.env,
    files: diskFiles,
    network: networkWhenAsked(context),
    connect: async (access) => (await import('./chart-cluster.ts')).chartCluster(access, context),
    platform: { os: goSystems[process.platform] ?? process.platform, arch: goArchitecture() },
    postRenderer: {
      find: (name) => findProgram(name, context),
      run: async (command, args, input, env) => {
        const { runProgram } = await import('../run-program.ts');
        return await runProgram(
          command,
          args,
          { cwd: context.cwd, input, env: { ...context.env, ...env } },
          { timeoutMs: postRenderTimeoutMs },
          context.signal,
        );
      },
    },
    provenance: checkProvenance,
    signer: signProvenance,
    readStdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of context.stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks).toString('utf8');
    },
    now: () => new Date(),
    random: (count) => randomBytes(count),
    timeZone: () => context.env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone,
    writeOut: (text) => {
      // What templates cut in the middle of a letter is printed as it is.
      context.stdout.write(/\p{Cs}/u.test(text) ? encodeBytes(text) : text);
    },
    writeError: (text) => {
      context.stderr.write(text);
    },
  };
}

/** Most charts are on this machine, and what fetches the others takes longer to load than these to render. */
function networkWhenAsked(context: CliContext): CommandNetwork {
  const network = async () => (await import('./chart-network.ts')).chartNetwork(context);
  return {
    fetch: async (url, options) => (await network()).fetch(url, options),
    listTags: async (repository, options) => (await network()).listTags(repository, options),
    pullChart: async (reference, options) => (await network()).pullChart(reference, options),
  };
}
