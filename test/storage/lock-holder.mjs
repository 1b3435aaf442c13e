// Waits for a line with a directory, tries to lock it, and says what came of it. Holds it until killed.
import { createInterface } from 'node:readline';
import { DirectoryLock } from '@waygate/text';

createInterface({ input: process.stdin }).once('line', async (directory) => {
  try {
    await DirectoryLock.acquire(directory);
    process.stdout.write('held\n');
  } catch (error) {
    process.stdout.write(`${error.code}\n`);
  }
});
