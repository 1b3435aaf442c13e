import { readFileSync } from 'node:fs';

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** The version in the package's manifest: the one place where it is written. */
export const version: string = manifest.version;
