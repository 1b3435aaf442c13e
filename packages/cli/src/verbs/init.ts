import { existsSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { buildManifests, FileTree, readDirectory } from '@waygate/gitops';
import { unservedLine, unservedRoutes } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { type Command, Option } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { projectFileName } from '../project/project-file.ts';
import { proposeProject } from '../project/proposal.ts';
import { type TemplateFlags, templateNames, writeProject } from '../template/write-project.ts';
import { openProject } from '../up/open-project.ts';

interface Flags extends TemplateFlags {
  readonly template?: string;
  readonly path?: string;
  readonly print?: boolean;
  readonly force?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  command
    .argument('[dir]', 'the directory that waygate up will follow', '.')
    .option('--path <path>', 'what to build inside the directory')
    .option('--print', 'print it instead of writing it')
    .option('--force', 'write over one that is there')
    .addOption(
      new Option('--template <name>', 'write a new project instead').choices(templateNames),
    )
    .option('--kind <kind>', 'with --template operator: the kind that it is about', 'Widget')
    .option('--group <domain>', 'with --template operator: the group of the kind', 'example.com')
    .addHelpText(
      'after',
      `
Reads the manifests, as waygate up would apply them, and writes a waygate.yaml that says what stands in for
each Service on this machine: a program that looks like it (a package.json with a script dev or start), else
a stub that echoes. Change it to what is so.

With --template operator it writes a project of one operator: a definition and the types of it, a reconciler
with a finalizer, conditions and a metric, a test on the embedded API, and a Containerfile.

Examples:
  waygate init
  waygate init . --path overlays/local --print
  waygate init certificates --template operator --kind Certificate --group team.example.com`,
    )
    .action((directory: string, flags: Flags) =>
      init(resolve(context.cwd, directory), flags, context),
    );
}

async function init(directory: string, flags: Flags, context: CliContext): Promise<void> {
  if (flags.template !== undefined) {
    writeProject(directory, flags, context);
    return;
  }
  const file = join(directory, projectFileName);
  if (existsSync(file) && flags.print !== true && flags.force !== true)
    throw new CliError(`there is a ${projectFileName} in ${directory} already`, {
      exitCode: exitCode.usage,
      hint: 'waygate init --print shows what would be proposed, --force writes over it.',
    });
  const project = openProject(directory, 'directory', flags.path);
  const spec = { interval: '1h', prune: false, sourceRef: { kind: 'GitRepository', name: '' } };
  const built = await buildManifests({
    files: FileTree.of(await readDirectory(project.source.directory)),
    path: `/${project.path}`,
    spec,
    variables: new Map(),
    isStrict: false,
  }).catch((cause: unknown) => {
    throw new CliError((cause as Error).message, { cause });
  });
  const below = relative(directory, join(project.source.directory, project.path));
  const { text, services } = proposeProject(
    built.objects as readonly KubeObject[],
    directory,
    below === '' || below.startsWith('..') ? undefined : below,
  );
  if (flags.print === true) {
    context.stdout.write(text);
    return;
  }
  writeFileSync(file, text);
  const what = services.length === 0 ? 'no Service that needs one was found' : services.join(', ');
  const { flag, lines } = servingOf(built.objects as readonly KubeObject[]);
  context.stdout.write(
    `Wrote ${file}: ${what}.\nwaygate up ${directory}${flag} starts with it.\n${lines.map((line) => `${line}\n`).join('')}`,
  );
}

/** The flag that routes need to be served, and those that are not even then, in the words of `up`. */
function servingOf(objects: readonly KubeObject[]): { flag: string; lines: readonly string[] } {
  const unserved = unservedRoutes(objects, { ingressClass: 'kong', isWhole: false });
  // The flag brings their class along.
  const rest = unserved.filter(({ fix }) => !fix.includes('--ingress-nginx'));
  const isForNginx = rest.length < unserved.length;
  return {
    flag: isForNginx ? ' --ingress-nginx' : '',
    lines: rest.map((route) => `Not served: ${unservedLine(route)}`),
  };
}
