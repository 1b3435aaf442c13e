import { renderTemplates } from '../engine/render-templates.ts';
import { GoMap } from '../go/value.ts';
import { CommandError } from './command-error.ts';
import type { CommandWorld } from './world.ts';

/** The text of `--name-template`; it sees functions, and no values. */
export function renderNameTemplate(text: string, world: CommandWorld): string {
  const path = 'name-template';
  try {
    const file = { path, text, data: new GoMap(), basePath: '' };
    const rendered = renderTemplates([file], {
      helm: world.helm,
      now: world.now(),
      random: world.random,
      timeZone: world.timeZone,
    });
    return rendered.get(path) ?? '';
  } catch (cause) {
    const { message } = cause as Error;
    const found = /^parse error (?:at|in) \((.*?)\): (.*)$/s.exec(message);
    throw new CommandError(found === null ? message : `template: ${found[1]}: ${found[2]}`, {
      cause,
    });
  }
}
