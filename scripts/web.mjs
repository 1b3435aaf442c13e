// What the dashboard's page is made of, and whether it has been built of that already.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const parts = ['web/index.html', 'web/vite.config.ts', 'web/src', 'web/public'];

/** Of the content, not of times: a checkout that changes nothing builds nothing. */
export function webDigest(root) {
  const room = join(root, 'packages', 'dashboard');
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const part of parts) add(hash, room, part);
  return hash.digest('hex');
}

export function isWebBuilt(root, digest) {
  const isThere = existsSync(join(root, 'packages/dashboard/dist/web/index.html'));
  return isThere && existsSync(stamp(root)) && readFileSync(stamp(root), 'utf8') === digest;
}

export function markWebBuilt(root, digest) {
  writeFileSync(stamp(root), digest);
}

function stamp(root) {
  return join(root, 'packages/dashboard/dist/.web');
}

function add(hash, room, part) {
  const path = join(room, part);
  if (!statSync(path).isDirectory()) {
    // Tests are not in the page.
    if (!/\.test\.tsx?$/.test(part)) hash.update(`${part}\0`).update(readFileSync(path));
    return;
  }
  for (const name of readdirSync(path).sort()) add(hash, room, `${part}/${name}`);
}
