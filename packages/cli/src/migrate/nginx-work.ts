import { nginxSamples } from '@waygate/ingress';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { readManifests } from '../manifests.ts';
import { print } from '../output.ts';
import type { IngressSet } from './migration-source.ts';
import { writeGatewayFiles } from './nginx-files.ts';
import { optionsOfNginxFlags } from './nginx-options.ts';
import { nginxReport } from './nginx-report.ts';
import { verifySamples } from './nginx-verify.ts';

/** What is asked for on Ingresses of ingress-nginx beside taking over. */
export interface NginxFlags {
  readonly from: string;
  readonly filename?: readonly string[];
  readonly write?: string;
  readonly gateway?: string;
  readonly verify?: string;
  readonly to?: string;
  readonly samples: string;
  readonly configmap?: string;
  readonly ignoreSnippets?: boolean;
  readonly force?: boolean;
  readonly output: string;
}

/** Whether somebody asks for what only ingress-nginx has. */
export function checkNginxFlags(flags: NginxFlags): void {
  const { from, filename, write, verify, to } = flags;
  const isAsked = [filename, write, verify, to].some((one) => one !== undefined);
  if (from !== 'ingress-nginx' && isAsked)
    throw new CliError('-f, --write, --verify and --to are for --from ingress-nginx', {
      exitCode: exitCode.usage,
    });
  if (verify !== undefined && to === undefined)
    throw new CliError('--verify compares two: say with --to where Waygate answers', {
      exitCode: exitCode.usage,
    });
}

/** Judges manifests, without a cluster. */
export async function reportOnFiles(flags: NginxFlags, context: CliContext): Promise<void> {
  const objects = await readManifests(flags.filename ?? [], context);
  const options = optionsOfNginxFlags(
    flags.configmap === undefined ? {} : { configmap: flags.configmap },
  );
  const { data, text, takeover } = nginxReport(objects, options, {
    ignoresSnippets: flags.ignoreSnippets === true,
  });
  const more = await extraWork({ objects, options }, flags, context);
  print(context, flags.output, { ...data, ...more.data }, [text, ...more.lines].join('\n'));
  if (takeover.ingresses.some(({ verdict }) => verdict === 'cannot') || more.isDifferent)
    context.exitCode = exitCode.differences;
}

/** Writes files and compares answers, where that is asked for. */
export async function extraWork(
  { objects, options }: IngressSet,
  flags: NginxFlags,
  context: CliContext,
): Promise<{
  readonly data: object;
  readonly lines: readonly string[];
  readonly isDifferent: boolean;
}> {
  const lines: string[] = [];
  let data: object = {};
  let isDifferent = false;
  if (flags.write !== undefined) {
    const written = await writeGatewayFiles(flags.write, objects, options, flags.gateway);
    data = { ...data, written };
    lines.push('', `${written.files.length} files written to ${flags.write}.`);
    lines.push(...written.notes.map((note) => `  not in them: ${note}`));
  }
  if (flags.verify !== undefined && flags.to !== undefined) {
    const samples = nginxSamples(objects, options).slice(0, Number(flags.samples) || 500);
    const verified = await verifySamples(samples, flags.verify, flags.to, context.signal);
    const different = verified.filter(({ differences }) => differences.length > 0);
    isDifferent = different.length > 0;
    data = { ...data, verified: { asked: verified.length, different } };
    lines.push(
      '',
      `${verified.length} requests sent to both, ${different.length} answered otherwise.`,
    );
    for (const { host, path, isSecure, ingress, differences } of different)
      lines.push(
        `  ${isSecure ? 'https' : 'http'}://${host}${path} (${ingress}): ${differences.join('; ')}`,
      );
  }
  return { data, lines, isDifferent };
}
