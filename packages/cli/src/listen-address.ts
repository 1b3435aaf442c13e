import { InvalidArgumentError, Option } from 'commander';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, `[::1]:port`, `:port` (every address) or a bare port on loopback. */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65535)
    throw new InvalidArgumentError('must be host:port, like 127.0.0.1:8443 or [::1]:8443.');
  const host = match[1] ?? match[2];
  return { host: host === undefined ? '127.0.0.1' : host === '' ? '::' : host, port };
}

/** An option for an address, whose default is shown as people write it. */
export function listenOption(flags: string, summary: string, shown: string): Option {
  return new Option(`${flags} <host:port>`, summary)
    .default(parseListenAddress(shown), shown)
    .argParser(parseListenAddress);
}
