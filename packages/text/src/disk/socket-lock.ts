import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type LockOwner, parseOwner } from './lock-owner.ts';

/** What an attempt came to: ours, or somebody else's. */
export type LockAttempt =
  | { readonly kind: 'held'; readonly release: () => Promise<void> }
  | { readonly kind: 'taken'; readonly owner: LockOwner | undefined };

/** A process that is too busy to say its name in this time holds the lock all the same. */
const answerMs = 500;
/** The kernel's limit on the path of a socket is 108 bytes, with the byte that ends it. */
const longestPath = 100;
const namePattern = /^socket-(\d+)$/;

/**
 * A lock that ends with its process: a listening socket in the directory, which the kernel closes
 * however the process ends. Sockets are numbered, and the highest number counts.
 *
 * Who wants the lock finds the highest one dead, makes a listening socket under a name of its own and
 * links it to the next number: a link never replaces, and a numbered socket is never one that does not
 * listen yet. It holds the lock if its number is then still the highest. Only lower numbers are ever
 * removed, so the highest never falls, and of two that took the same number one sees a higher one.
 */
export async function lockBySocket(directory: string, owner: LockOwner): Promise<LockAttempt> {
  for (;;) {
    const highest = highestNumber(directory);
    if (highest !== undefined) {
      const found = await ask(directory, `socket-${highest}`);
      if (found.kind === 'alive') return { kind: 'taken', owner: found.owner };
    }
    const number = (highest ?? 0) + 1;
    const draft = `new-${process.pid}-${randomBytes(6).toString('hex')}`;
    const server = await listen(directory, draft, owner);
    const isFirst = linkTo(directory, draft, number);
    if (isFirst && highestNumber(directory) === number) {
      sweep(directory, number);
      return { kind: 'held', release: () => close(server) };
    }
    if (isFirst) rmSync(join(directory, `socket-${number}`), { force: true });
    await close(server);
  }
}

/**
 * The same for file systems without sockets or links: a name that the kernel itself keeps, which only
 * processes of the same network namespace see.
 */
export async function lockByName(name: string, owner: LockOwner): Promise<LockAttempt> {
  const path = `\0waygate-${name}`;
  const server = serverOf(owner);
  try {
    await listenOn(server, path);
    return { kind: 'held', release: () => close(server) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const found = await askAt(path);
    return { kind: 'taken', owner: found.kind === 'alive' ? found.owner : undefined };
  }
}

function highestNumber(directory: string): number | undefined {
  const numbers = readdirSync(directory)
    .map((name) => namePattern.exec(name)?.[1])
    .filter((text) => text !== undefined)
    .map(Number);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function linkTo(directory: string, draft: string, number: number): boolean {
  try {
    linkSync(join(directory, draft), join(directory, `socket-${number}`));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Somebody else took the number, or swept the draft away: once more from the start.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  } finally {
    rmSync(join(directory, draft), { force: true });
  }
}

/** Removes what earlier holders and those who gave up left behind. */
function sweep(directory: string, held: number): void {
  for (const name of readdirSync(directory)) {
    const number = namePattern.exec(name)?.[1];
    const isOld = number !== undefined && Number(number) < held;
    if (isOld || name.startsWith('new-')) rmSync(join(directory, name), { force: true });
  }
}

type Answer =
  | { readonly kind: 'dead' }
  | { readonly kind: 'alive'; readonly owner: LockOwner | undefined };

function ask(directory: string, name: string): Promise<Answer> {
  return withShortPath(directory, name, askAt);
}

function askAt(path: string): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    const timer = setTimeout(() => finish({ kind: 'alive', owner: parseOwner(text) }), answerMs);
    const finish = (answer: Answer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => finish({ kind: 'alive', owner: parseOwner(text) }));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Whatever is not a plain refusal (no rights, a full queue) may be somebody alive.
      const isDead = error.code === 'ECONNREFUSED' || error.code === 'ENOENT';
      finish(isDead ? { kind: 'dead' } : { kind: 'alive', owner: undefined });
    });
  });
}

function serverOf(owner: LockOwner): Server {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.unref();
    socket.end(JSON.stringify(owner));
  });
  // The lock must never be what keeps a process running.
  server.unref();
  return server;
}

async function listen(directory: string, name: string, owner: LockOwner): Promise<Server> {
  const server = serverOf(owner);
  await withShortPath(directory, name, (path) => listenOn(server, path));
  return server;
}

function listenOn(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** A deep directory is reached by a name that the kernel takes. */
async function withShortPath<T>(
  directory: string,
  name: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= longestPath) return use(path);
  const descriptor = openSync(directory, 'r');
  try {
    return await use(`/proc/self/fd/${descriptor}/${name}`);
  } finally {
    closeSync(descriptor);
  }
}
