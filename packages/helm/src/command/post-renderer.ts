import type { DynamicObject } from '@waygate/schema';
import { parseYamlAll, printYaml } from '@waygate/text';
import type { FilePostRenderer } from '../release/render-release.ts';
import { filesOfObjects, objectsOfFiles } from '../render/post-rendered-files.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { findPlugin } from './post-renderer-plugin.ts';
import type { CommandWorld } from './world.ts';

/** What `--post-renderer` names: Helm 3 gives a program the manifest, Helm 4 gives a plugin all objects. */
export interface FoundPostRenderer {
  readonly files?: FilePostRenderer;
  readonly manifest?: (text: string) => Promise<string>;
}

/** @throws CommandError when there is no such program or plugin */
export function findPostRenderer(flags: ParsedFlags, world: CommandWorld): FoundPostRenderer {
  const name = flags.list('post-renderer').find((each) => each !== '');
  if (name === undefined) return {};
  const { postRenderer } = world;
  if (postRenderer === undefined) {
    throw new CommandError('programs are not run here: --post-renderer has no meaning');
  }
  const args = flags.list('post-renderer-args');
  const invalid = (why: string): CommandError =>
    new CommandError(`invalid argument ${JSON.stringify(name)} for "--post-renderer" flag: ${why}`);
  if (world.helm === 4) {
    const plugin = findPlugin(name, args, world);
    if (plugin === undefined) {
      throw invalid(`plugin: {Name:${name} Type:postrenderer/v1} not found`);
    }
    return {
      files: throughText(async (input) => {
        const { command, args: all, env } = plugin;
        const { exitCode, stdout } = await postRenderer.run(command, all, input, env);
        const what = `failed to invoke post-renderer plugin ${JSON.stringify(name)}`;
        if (exitCode !== 0) {
          throw new CommandError(`${what}: plugin ${JSON.stringify(name)} exited with error`);
        }
        return filled(name, stdout);
      }),
    };
  }
  let program: string;
  try {
    program = postRenderer.find(name);
  } catch (cause) {
    throw invalid(`unable to find binary at ${name}: ${(cause as Error).message}`);
  }
  return {
    manifest: saying(async (input) => {
      const { exitCode, stdout, stderr } = await postRenderer.run(program, args, input, {});
      if (exitCode === 0) return filled(program, stdout);
      const what = `error while running command ${program}. error output`;
      throw new CommandError(`${what}:\n${stderr}: exit status ${exitCode}`);
    }),
  };
}

function filled(name: string, output: string): string {
  if (output.trim() !== '') return output;
  throw new CommandError(`post-renderer ${JSON.stringify(name)} produced empty output`);
}

function throughText(run: (text: string) => Promise<string>): FilePostRenderer {
  const print = (objects: readonly DynamicObject[]): string =>
    objects.map((object) => printYaml(object, { keys: 'given' })).join('---\n');
  return saying(async (files) => {
    const made = parseYamlAll(await run(print(objectsOfFiles(files))));
    const objects = made.filter((each) => each !== null && each !== undefined);
    return filesOfObjects(objects as DynamicObject[], print);
  });
}

function saying<In, Out>(run: (input: In) => Promise<Out>): (input: In) => Promise<Out> {
  return async (input) => {
    try {
      return await run(input);
    } catch (cause) {
      const { message } = cause as Error;
      throw new CommandError(`error while running post render on files: ${message}`, { cause });
    }
  };
}
