import { resolve } from 'node:path';
import { builtKustomization, kustomizationKind, PhaseError } from '@waygate/gitops';
import { printYamlDocuments } from '@waygate/text';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import { type ClusterFlags, reportedKind, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { artifactFiles, localFiles } from '../kustomization-files.ts';

/** `waygate build ks NAME`: what a Kustomization of the cluster makes of its source, or of files here. */
export async function printKustomization(
  words: readonly string[],
  flags: ClusterFlags & { readonly path?: string },
  context: CliContext,
): Promise<void> {
  const { kind, name } = objectOf(words);
  if (kind.kind !== kustomizationKind.kind) {
    throw new CliError('only a Kustomization is built', { exitCode: exitCode.usage });
  }
  const objects = await withCluster(flags, context, async (client, own) => {
    const { signal } = context;
    const named = { kind: reportedKind('ks'), name };
    const namespace = await namespaceOf(client, named, own, flags, context);
    const object = await client.resource(kustomizationKind).get(name, { namespace }, { signal });
    const source =
      flags.path === undefined
        ? await artifactFiles(client, object, signal)
        : await localFiles(resolve(context.cwd, flags.path));
    try {
      return await builtKustomization(object, source, { client, signal });
    } catch (error) {
      if (error instanceof PhaseError) throw new CliError(error.message, { cause: error });
      throw error;
    }
  });
  const shown = objects.map((object) => (object.kind === 'Secret' ? masked(object) : object));
  context.stdout.write(`---\n${printYamlDocuments(shown)}`);
}

/** What may have been decrypted is not shown, as flux does not show it either. */
function masked<T extends object>(secret: T): T {
  const hidden = (values: unknown, mask: string): Record<string, string> =>
    Object.fromEntries(Object.keys((values ?? {}) as object).map((key) => [key, mask]));
  const { data, stringData } = secret as { data?: unknown; stringData?: unknown };
  const base64 = Buffer.from('**SOPS**').toString('base64');
  return {
    ...secret,
    ...(data === undefined ? {} : { data: hidden(data, base64) }),
    ...(stringData === undefined ? {} : { stringData: hidden(stringData, '**SOPS**') }),
  };
}
