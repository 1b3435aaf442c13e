import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Since 1.7 the suite takes its echo servers from this module. */
export const echoModule = 'sigs.k8s.io/gateway-api-conformance-images';
/** The last release that has them in itself. */
export const lastWithEcho = 'sigs.k8s.io/gateway-api/conformance@v1.6.3';

/**
 * A stand-in for the module of the echo servers, for where Go cannot fetch it: the same sources as they were
 * when they were part of the suite. The suite itself stays as it was published.
 * @returns the line of a go.mod that takes it
 */
export function echoStandIn(directory: string, suiteSource: string): string {
  const target = join(directory, 'images');
  rmSync(target, { recursive: true, force: true });
  cpSync(join(suiteSource, 'echo-basic'), join(target, 'echo-basic'), { recursive: true });
  for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    const file = join(target, name);
    if (name.endsWith('_test.go')) rmSync(file, { force: true });
    else if (name.endsWith('.go')) rewriteImports(file);
  }
  writeFileSync(join(target, 'go.mod'), `module ${echoModule}\n\ngo 1.26\n`);
  return `replace ${echoModule} => ./images\n`;
}

function rewriteImports(file: string): void {
  const old = '"sigs.k8s.io/gateway-api/conformance/echo-basic';
  const text = readFileSync(file, 'utf8').replaceAll(old, `"${echoModule}/echo-basic`);
  // Files of the module cache are read-only, and so are their copies.
  rmSync(file);
  writeFileSync(file, text);
}
