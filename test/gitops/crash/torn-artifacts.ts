import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** Artifacts of a storage that are not whole: what a process leaves that ends while it writes. */
export async function tornArtifacts(directory: string): Promise<string[]> {
  const torn: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.tar.gz')) continue;
    const file = join(entry.parentPath, entry.name);
    let bytes = 0;
    const count = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        bytes += chunk.length;
        callback();
      },
    });
    try {
      await pipeline(createReadStream(file), createGunzip(), count);
      // An archive ends with two empty blocks, and is made of whole ones.
      if (bytes < 1024 || bytes % 512 !== 0) torn.push(file);
    } catch {
      torn.push(file);
    }
  }
  return torn;
}
