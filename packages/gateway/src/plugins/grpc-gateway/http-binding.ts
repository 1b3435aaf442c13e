import type { ProtoMethod } from './proto-file.ts';

/** One path of one method of HTTP, and the gRPC method that it stands for. */
export interface HttpBinding {
  readonly verb: string;
  readonly grpc: ProtoMethod;
  readonly body: string | undefined;
  /** The values of its variables in a path, or undefined if it is another path. */
  match(path: string): Readonly<Record<string, string>> | undefined;
}

/** All ways into a service by HTTP, in the order of the file. */
export function httpBindings(methods: readonly ProtoMethod[]): HttpBinding[] {
  return methods.flatMap((grpc) =>
    grpc.rules.map(({ method, path, body }) => {
      const template = parseTemplate(path);
      return { verb: method, grpc, body, match: (given: string) => matchPath(template, given) };
    }),
  );
}

interface Template {
  /** `*` is one segment, `**` one or more, everything else itself. */
  readonly segments: readonly string[];
  /** Which segments a variable has: from, and up to but without. */
  readonly variables: readonly {
    readonly name: string;
    readonly from: number;
    readonly to: number;
  }[];
  /** What comes after the last segment, with its colon. */
  readonly verb: string;
}

/** `/v1/{name=shelves/*}/books:read` in parts. */
function parseTemplate(path: string): Template {
  const verb = /:[^/{}]*$/.exec(path)?.[0] ?? '';
  const segments: string[] = [];
  const variables: { name: string; from: number; to: number }[] = [];
  const whole = path.slice(1, path.length - verb.length);
  for (const [part] of whole.matchAll(/\{[^}]*\}|[^/]+/g)) {
    const from = segments.length;
    if (!part.startsWith('{')) {
      segments.push(part);
      continue;
    }
    const [name = '', inner = '*'] = part.slice(1, -1).split('=');
    segments.push(...inner.split('/'));
    variables.push({ name: name.trim(), from, to: segments.length });
  }
  return { segments, variables, verb };
}

/** At most one `**` can stretch, so that one pass from each end decides. */
function matchPath(template: Template, path: string): Record<string, string> | undefined {
  const { segments, variables, verb } = template;
  if (!path.startsWith('/') || !path.endsWith(verb)) return undefined;
  const given = path.slice(1, path.length - verb.length).split('/');
  const stretch = segments.indexOf('**');
  const spare = given.length - segments.length;
  if (spare < 0 || (spare > 0 && stretch < 0)) return undefined;
  /** Where a segment of the template begins in the path. */
  const at = (index: number) => (stretch >= 0 && index > stretch ? index + spare : index);
  const fits = segments.every((segment, index) =>
    segment === '*' || segment === '**'
      ? given.slice(at(index), at(index + 1)).every((each) => each !== '')
      : given[at(index)] === segment,
  );
  if (!fits) return undefined;
  return Object.fromEntries(
    variables.map(({ name, from, to }) => [name, given.slice(at(from), at(to)).join('/')]),
  );
}
