import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { version } from '../version.ts';
import { operatorTemplate } from './operator-template.ts';

/** What a project may be made from. */
export const templateNames = ['operator'] as const;

export interface TemplateFlags {
  readonly kind: string;
  readonly group: string;
}

/** Writes a new project into a directory that is empty or not there, and says what to do next. */
export function writeProject(directory: string, flags: TemplateFlags, context: CliContext): void {
  const { kind, group } = flags;
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind))
    throw wrong(`--kind ${kind} cannot name a kind`, 'It begins with a capital: --kind Widget.');
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/.test(group))
    throw wrong(`--group ${group} is no domain`, 'Take one that is yours: --group example.com.');
  if (!isEmpty(directory))
    throw wrong(`${directory} is not empty`, 'Name a directory that is new: waygate init DIR.');
  const files = operatorTemplate({ kind, group, name: nameOf(directory, kind), version });
  for (const [path, text] of files) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
  const shown = relative(context.cwd, directory) || '.';
  context.stdout.write(
    `Wrote an operator of ${kind}.${group} to ${shown}: ${files.size} files.\n` +
      `${join(shown, 'README.md')} says how to get the libraries, test it and run it.\n`,
  );
}

/** The package is called as its directory is, where that can be a name. */
function nameOf(directory: string, kind: string): string {
  const name = basename(directory).toLowerCase();
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) && name.length <= 63
    ? name
    : `${kind.toLowerCase()}-operator`;
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).every((name) => name === '.git');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    throw wrong(`${directory} cannot be a project`, (error as Error).message);
  }
}

function wrong(message: string, hint: string): CliError {
  return new CliError(message, { exitCode: exitCode.usage, hint });
}
