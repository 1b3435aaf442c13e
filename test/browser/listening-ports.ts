import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Every TCP port on which a process or one of those below it listens. Linux only: it reads /proc. */
export function listeningPorts(processId: number): number[] {
  const sockets = new Set(family(processId).flatMap(socketsOf));
  const ports = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      // 0A: it listens.
      .filter((fields) => fields[3] === '0A' && sockets.has(fields[9] ?? ''))
      .map((fields) => Number.parseInt(fields[1]!.split(':')[1]!, 16)),
  );
  return [...new Set(ports)].sort((a, b) => a - b);
}

function family(processId: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/status`, 'utf8').includes(`PPid:\t${processId}\n`);
      } catch {
        return false;
      }
    });
  return [processId, ...children.flatMap((child) => family(Number(child)))];
}

/** The inodes of a process's sockets. */
function socketsOf(processId: number): string[] {
  return readdirSync(`/proc/${processId}/fd`).flatMap((name) => {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${processId}/fd/${name}`))?.[1];
      return inode === undefined ? [] : [inode];
    } catch {
      return [];
    }
  });
}
