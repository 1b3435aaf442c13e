/** A warning that the API sent with an answer, such as one on a deprecated version. */
export interface ApiWarning {
  readonly code: number;
  readonly agent: string;
  readonly text: string;
}

const maxHeader = 64 * 1024;

/** Parses `Warning` headers (RFC 7234, 5.5): `299 - "text"`, several with commas. */
export function parseWarnings(header: string | readonly string[] | undefined): ApiWarning[] {
  const warnings: ApiWarning[] = [];
  for (const line of header === undefined ? [] : Array.isArray(header) ? header : [header]) {
    if (line.length > maxHeader) continue;
    const pattern = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"/g;
    for (const [, code, agent, text] of line.matchAll(pattern)) {
      warnings.push({
        code: Number(code),
        agent: agent as string,
        text: (text as string).replace(/\\(.)/g, '$1'),
      });
    }
  }
  return warnings;
}
