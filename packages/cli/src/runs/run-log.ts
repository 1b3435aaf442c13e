import { appendFileSync, renameSync, rmSync, statSync, watch } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

/** What a file grows to before the next one is begun; the one before is kept beside it. */
const mostBytes = 4 * 1024 * 1024;

const parts = ['ingress', 'gitops', 'dashboard', 'gateway', 'project'];

/** Keeps what the parts of a run say in a file, for `waygate logs`. Never in the way of the run itself. */
export class RunLog {
  readonly path: string;
  readonly #now: () => Date;
  #size: number;

  constructor(path: string, now: () => Date = () => new Date()) {
    this.path = path;
    this.#now = now;
    this.#size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** One line of JSON, in the form of the controllers' own log. */
  write(line: string, level: 'info' | 'error' = 'info', about?: RunLogSubject): void {
    const [, head = '', rest = line] = /^([a-z]+): ([\s\S]*)$/.exec(line) ?? [];
    const isPart = parts.includes(head);
    const text = `${JSON.stringify({
      time: this.#now().toISOString(),
      level,
      part: isPart ? head : 'program',
      message: isPart ? rest : line,
      ...about,
    })}\n`;
    try {
      if (this.#size + text.length > mostBytes) this.#begin();
      appendFileSync(this.path, text, { mode: 0o600 });
      this.#size += Buffer.byteLength(text);
    } catch {
      // A full disk takes the log, not the run.
    }
  }

  #begin(): void {
    rmSync(`${this.path}.1`, { force: true });
    renameSync(this.path, `${this.path}.1`);
    this.#size = 0;
  }
}

/** The object that a line is about. */
export interface RunLogSubject {
  readonly kind: string;
  /** `namespace/name` */
  readonly object: string;
}

/** Reads the log of a run, its last lines, and what is written from then on. */
export async function followLog(
  path: string,
  options: {
    /** All of them when negative. */
    readonly tail: number;
    readonly isFollowed: boolean;
    readonly signal: AbortSignal;
    readonly onLine: (line: string) => void;
  },
): Promise<void> {
  const { tail, isFollowed, signal, onLine } = options;
  const former = await readFile(`${path}.1`, 'utf8').catch(() => '');
  const { text, size } = await readFrom(path, 0);
  const lines = `${former}${text}`.split('\n');
  // What has no end yet is read again when it has one.
  const rest = lines.pop() ?? '';
  for (const line of tail < 0 ? lines : tail === 0 ? [] : lines.slice(-tail)) onLine(line);
  if (!isFollowed || signal.aborted) return;
  await follow(path, size - Buffer.byteLength(rest), onLine, signal);
}

async function follow(
  path: string,
  from: number,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let offset = from;
  let wake: () => void = () => {};
  const watcher = watch(dirname(path), () => wake());
  watcher.on('error', () => wake());
  const stop = (): void => wake();
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { text, size } = await readFrom(path, offset);
      if (size < offset) {
        offset = 0;
        continue;
      }
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) {
        for (const line of text.slice(0, end - 1).split('\n')) onLine(line);
        offset += Buffer.byteLength(text.slice(0, end));
        continue;
      }
      if (!signal.aborted) await woken;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    watcher.close();
  }
}

/** What a file holds from an offset on; nothing of one that is not there. */
async function readFrom(path: string, offset: number): Promise<{ text: string; size: number }> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch {
    return { text: '', size: 0 };
  }
  try {
    const { size } = await file.stat();
    if (size <= offset) return { text: '', size };
    const bytes = Buffer.alloc(size - offset);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    return {
      text: new StringDecoder('utf8').write(bytes.subarray(0, bytesRead)),
      size: offset + bytesRead,
    };
  } finally {
    await file.close();
  }
}
