/** A host and the port that was written behind it. */
interface HostPort {
  readonly host: string;
  readonly port: number | undefined;
}

/** Splits at the first colon; what does not end in a number is all host. The compatible router's rule. */
export function splitHostPort(text: string): HostPort {
  const colon = text.indexOf(':');
  if (colon === -1) return { host: text, port: undefined };
  const digits = text.slice(colon + 1);
  if (!/^\d+$/.test(digits)) return { host: text, port: undefined };
  return { host: text.slice(0, colon), port: Number(digits) };
}

/** What the traditional router makes of a host: without a port, and always with one. */
interface TraditionalHost {
  readonly withoutPort: string;
  readonly withPort: string;
  readonly hasPort: boolean;
}

/** The traditional router's rule: brackets are peeled, and a default port is added where none is. */
export function splitTraditionalHost(name: string, defaultPort?: number): TraditionalHost {
  const withDefault = (host: string) =>
    defaultPort === undefined ? host : `${host}:${defaultPort}`;
  if (name.startsWith('[')) {
    if (name.endsWith(']')) {
      return { withoutPort: name.slice(1, -1), withPort: withDefault(name), hasPort: false };
    }
    const split = name.indexOf(']:');
    if (split !== -1 && split === name.length - 2) {
      return {
        withoutPort: name.slice(1, split),
        withPort: name + (defaultPort ?? ''),
        hasPort: false,
      };
    }
    if (split !== -1 && /^\d+$/.test(name.slice(split + 2))) {
      return { withoutPort: name.slice(1, split), withPort: name, hasPort: true };
    }
    return { withoutPort: name, withPort: withDefault(name), hasPort: false };
  }
  const colon = name.indexOf(':');
  if (colon === -1) return { withoutPort: name, withPort: withDefault(name), hasPort: false };
  if (colon === name.length - 1) {
    const host = name.slice(0, colon);
    return { withoutPort: host, withPort: withDefault(host), hasPort: false };
  }
  if (!/^\d+$/.test(name.slice(colon + 1))) {
    const withPort = defaultPort === undefined ? name : `[${name}]:${defaultPort}`;
    return { withoutPort: name, withPort, hasPort: false };
  }
  return { withoutPort: name.slice(0, colon), withPort: name, hasPort: true };
}
