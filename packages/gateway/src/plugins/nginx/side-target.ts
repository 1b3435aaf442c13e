/** Where a request beside the upstream's goes. */
export interface SideTarget {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The host as the URL has it, without its port. */
  readonly serverName: string;
}

const urlForm = /^(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?([/?][^#]*)?$/i;

/** What is wrong with a URL that may hold variables; undefined if it can be asked. */
export function urlProblem(url: string): string | undefined {
  // What stands for a variable is not known yet: any letter does.
  const example = url.replace(/\$(\{\w+\}|\w+)/g, (_all, _name, at: number) =>
    url
      .slice(0, at)
      .replace(/^\w+:\/\//, '')
      .includes('/') || /:\d+$/.test(url.slice(0, at))
      ? '/'
      : 'x',
  );
  return urlForm.test(example) ? undefined : 'must be a URL with http or https and a host';
}

/**
 * Reads a URL. The path goes out as it is, only that nothing in it can end the line.
 *
 * @throws Error if it is no URL
 */
export function sideTarget(url: string): SideTarget {
  const [, scheme = '', name = '', port, rest = ''] = urlForm.exec(url) ?? [];
  if (name === '') throw new Error('the URL cannot be read');
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const isSecure = scheme.toLowerCase() === 'https';
  return {
    isSecure,
    host: name.startsWith('[') ? name.slice(1, -1) : name,
    port: port === undefined ? (isSecure ? 443 : 80) : Number(port),
    path: path.replace(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character)),
    serverName: name,
  };
}
