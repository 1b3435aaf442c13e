import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-certificate-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** As another process sees it: it knows of no pair that was made. */
async function inAnotherProcess(where: string | undefined) {
  vi.resetModules();
  const { defaultCertificate } = await import('./default-certificate.ts');
  return defaultCertificate(where);
}

// Making a pair takes a while, so a few serve for all.
test('the pair is made once for all that share a directory, and anew where it is damaged', async () => {
  const where = join(directory, 'tls');
  const file = join(where, 'default-certificate.pem');
  const first = await inAnotherProcess(where);
  expect(await inAnotherProcess(where)).toEqual(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 900));
  const second = await inAnotherProcess(where);
  expect(second.cert).not.toBe(first.cert);
  expect(readFileSync(file, 'utf8')).toBe(`${second.key}${second.cert}`);

  writeFileSync(file, `${first.key}${second.cert}`);
  const third = await inAnotherProcess(where);
  expect(third.key).not.toBe(first.key);
  expect(await inAnotherProcess(where)).toEqual(third);
});

test('one that cannot be kept is served all the same', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect((await inAnotherProcess(join(file, 'below'))).cert).toContain('BEGIN CERTIFICATE');
});
