import { trimEndOf } from '@waygate/text';
import { shownUrl } from './git-url.ts';

/**
 * Says in few words what git said in many, without what is secret in a URL, and in the same words
 * each time: git itself names how many milliseconds it waited, and an event that differs each time is
 * never counted together with those before it.
 */
export function explainGitWords(said: string, url: string): string {
  const shown = shownUrl(url);
  const text = said.replaceAll(url, shown).replace(/(:\/\/)[^/@\s]*@/g, '$1');
  const asked = `${trimEndOf(shown, '/')}/info/refs?service=git-upload-pack`;
  if (/Authentication failed|could not read Username|HTTP 401|error: 401/i.test(text)) {
    return 'authentication required';
  }
  if (/HTTP 403|error: 403/i.test(text)) return 'authorization failed';
  if (/repository .* not found|does not appear to be a git repository|error: 404/i.test(text)) {
    return 'repository not found';
  }
  if (/Host key verification failed/i.test(text)) return 'ssh: host key verification failed';
  if (/Permission denied \(publickey/i.test(text)) return 'ssh: unable to authenticate';
  if (text === 'context deadline exceeded') return `Get "${asked}": ${text}`;
  const disk = diskTrouble.exec(text)?.[0];
  if (disk !== undefined) return `the disk for git's objects cannot be written to: ${disk}`;
  if (/File size limit exceeded|File too large|signal 25/i.test(text)) {
    return 'the repository is larger than it may be';
  }
  const status = /The requested URL returned error: (\d{3})/.exec(text)?.[1];
  if (status !== undefined) {
    return `unexpected client error: unexpected requesting "${asked}" status code: ${status}`;
  }
  const refused = /Failed to connect to (\S+) port (\d+)/.exec(text);
  if (refused !== null) {
    const [, host = '', port = ''] = refused;
    return `Get "${asked}": dial tcp ${host}:${port}: connect: connection refused`;
  }
  const unknown = /Could not resolve host(?:name)?:? (\S+?)(?::|$|\s)/i.exec(text)?.[1];
  if (unknown !== undefined) return `Get "${asked}": dial tcp: lookup ${unknown}: no such host`;
  return tellingLine(text);
}

const diskTrouble =
  /No space left on device|Out of diskspace|Disk quota exceeded|Input\/output error|Read-only file system/i;

/** Whether it was this machine's disk that git could not go on for. */
export function isDiskTrouble(said: string): boolean {
  return diskTrouble.test(said);
}

/** The line that tells most. */
function tellingLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const telling =
    lines.find((line) => /^(fatal|error|remote):/.test(line)) ?? lines[0] ?? 'git failed';
  return telling.replace(/^(fatal|error|remote): /, '').slice(0, 500);
}
