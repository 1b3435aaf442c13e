import { randomBytes } from 'node:crypto';
import {
  type CommandNetwork,
  type CommandWorld,
  encodeBytes,
  type HelmMajor,
  parseLimits,
} from '@waygate/helm';
import { type CliContext, CliError } from '../context.ts';
import { diskFiles } from './disk-files.ts';
import { checkProvenance, signProvenance } from './provenance.ts';

const postRenderTimeoutMs = 300_000;

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
    postRenderer: async (command, args, input) => {
      const { runProgram } = await import('../run-program.ts');
      const { exitCode, stdout, stderr } = await runProgram(
        command,
        args,
        { cwd: context.cwd, input, env: context.env },
        { timeoutMs: postRenderTimeoutMs },
        context.signal,
      );
      if (exitCode === 0) return stdout;
      throw new CliError(
        `error while running command ${command}. error output:\n${stderr}: exit status ${exitCode}`,
      );
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
