import { InvalidArgumentError, Option } from 'commander';

/** `--admin-cors-origin`: whose web pages may use the Admin API. */
export function corsOriginOption(): Option {
  return new Option(
    '--admin-cors-origin <origin>',
    'let web pages of this origin use the Admin API, like http://localhost:3000 (repeatable)',
  )
    .default([], 'none')
    .argParser((text: string, before: readonly string[]) => [...before, parseOrigin(text)]);
}

/** An origin as browsers write it; anything else would never be equal to one. */
function parseOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : undefined;
  if (origin !== text || !/^https?:/.test(text))
    throw new InvalidArgumentError('must be an origin, like http://localhost:3000.');
  return text;
}
